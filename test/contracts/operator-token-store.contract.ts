import type { Actor } from '../../src/core/audit/audit-entry.js';
import type { AuditLog } from '../../src/core/audit/audit-log.js';
import {
  MAX_OPERATOR_TOKENS,
  type NewOperatorToken,
  type OperatorTokenStore,
  operatorScopes,
} from '../../src/core/operators/operator-token.js';
import { later, sampleHash, sampleInstant } from '../support/samples.js';
import { atOnce } from '../support/tenant.js';

export interface OpenOperatorTokens {
  readonly operatorTokens: OperatorTokenStore;
  readonly auditLog: AuditLog;
  close(): Promise<void>;
}

const actor: Actor = { kind: 'operator', id: 9e14, name: 'É "q" 📷', address: '203.0.113.9' };

function sample(values: Partial<NewOperatorToken> = {}): NewOperatorToken {
  return {
    name: 'sign-up',
    tokenHash: sampleHash(),
    lastFour: 'x7Qa',
    scopes: ['customers:read'],
    ipList: [],
    expiresAt: null,
    createdAt: sampleInstant,
    ...values,
  };
}

/** What `OperatorTokenStore` promises. It is opened once, and empty. */
export function operatorTokenStoreContract(name: string, open: () => Promise<OpenOperatorTokens>): void {
  describe(`OperatorTokenStore: ${name}`, () => {
    let opened: OpenOperatorTokens;
    let tokens: OperatorTokenStore;
    beforeAll(async () => {
      opened = await open();
      tokens = opened.operatorTokens;
    });
    afterAll(() => opened.close());

    it('stores every value under a new id, and finds it by its hash', async () => {
      const full = sample({
        name: 'É "q" 📷',
        scopes: operatorScopes,
        ipList: ['203.0.113.0/24', '2001:db8::/32'],
        expiresAt: later(1),
        createdAt: later(2),
      });
      for (const values of [sample(), full]) {
        const token = await tokens.create(values, actor);
        expect(token).toEqual({ ...values, id: token.id, deletedAt: null });
        expect(await tokens.findByHash(values.tokenHash)).toEqual(token);
        expect(await tokens.findByHash(values.tokenHash.toUpperCase())).toBeNull();
      }
      expect(await tokens.findByHash(sampleHash())).toBeNull();
    });

    it('returns expired tokens: the rule decides', async () => {
      const token = await tokens.create(sample({ expiresAt: new Date(0) }), actor);
      expect(await tokens.findByHash(token.tokenHash)).toEqual(token);
    });

    it('finds none from the moment it is deleted, and lists it with that time', async () => {
      const token = await tokens.create(sample(), actor);
      expect(await tokens.delete(token.id, later(5), actor)).toBe(true);
      expect(await tokens.findByHash(token.tokenHash)).toBeNull();
      expect((await tokens.list()).at(-1)).toEqual({ ...token, deletedAt: later(5) });
      expect(await tokens.delete(token.id, later(6), actor)).toBe(false);
      expect(await tokens.delete(9e15, later(6), actor)).toBe(false);
      expect((await tokens.list()).at(-1)?.deletedAt).toEqual(later(5));
    });

    it('changes name, IP list and expiry of a token that is not deleted, and nothing else', async () => {
      const token = await tokens.create(sample(), actor);
      const settings = { name: 'É "q" 📷', ipList: ['203.0.113.0/24'], expiresAt: later(9) };
      expect(await tokens.update(token.id, settings, later(4), actor)).toEqual({ ...token, ...settings });
      expect(await tokens.findByHash(token.tokenHash)).toEqual({ ...token, ...settings });
      const open = { ipList: [], expiresAt: null };
      expect(await tokens.update(token.id, open, later(4), actor)).toEqual({ ...token, ...settings, ...open });
      expect(await tokens.update(token.id, {}, later(4), actor)).toEqual({ ...token, ...settings, ...open });
      await tokens.delete(token.id, later(5), actor);
      expect(await tokens.update(token.id, settings, later(4), actor)).toBeNull();
      expect(await tokens.update(9e15, settings, later(4), actor)).toBeNull();
      expect((await tokens.list()).at(-1)).toMatchObject({ expiresAt: null });
    });

    it('loses none of what is changed at once, if it is not the same', async () => {
      const token = await tokens.create(sample(), actor);
      const changes = [{ name: 'billing' }, { ipList: ['203.0.113.0/24'] }, { expiresAt: later(9) }, {}];
      await atOnce(12, (at) => tokens.update(token.id, changes[at % changes.length] ?? {}, later(4), actor));
      expect(await tokens.findByHash(token.tokenHash)).toEqual(Object.assign({}, token, ...changes));
    });

    it('writes an entry of the operator’s log with each change, and none without one', async () => {
      const token = await tokens.create(sample({ name: 'billing', createdAt: later(1) }), actor);
      await tokens.update(token.id, { name: 'invoices', expiresAt: later(9) }, later(2), actor);
      await tokens.update(token.id, { name: 'invoices' }, later(3), actor);
      await tokens.delete(token.id, later(4), actor);
      await tokens.update(token.id, { name: 'late' }, later(5), actor);
      await tokens.delete(token.id, later(6), actor);
      const who = { actorKind: 'operator', actorId: 9e14, actorName: actor.name, address: '203.0.113.9' };
      const about = { customerId: null, subjectId: token.id, count: 1, ...who };
      expect(await opened.auditLog.operatorEntries({ until: null, tokenId: token.id, limit: 10 })).toEqual([
        { ...about, at: later(4), action: 'operator_token.deleted', subjectName: 'invoices', changes: [] },
        {
          ...about,
          at: later(2),
          action: 'operator_token.edited',
          subjectName: 'invoices',
          changes: ['name', 'expiresAt'],
        },
        { ...about, at: later(1), action: 'operator_token.created', subjectName: 'billing', changes: [] },
      ]);
    });

    it('lists the oldest first', async () => {
      const made = [await tokens.create(sample(), actor), await tokens.create(sample(), actor)];
      expect((await tokens.list()).slice(-2)).toEqual(made);
    });

    it(`has at most ${MAX_OPERATOR_TOKENS} that are not deleted, however many are created at once`, async () => {
      const live = async () => (await tokens.list()).filter(({ deletedAt }) => deletedAt === null);
      const room = MAX_OPERATOR_TOKENS - (await live()).length;
      await Promise.all(Array.from({ length: room - 2 }, () => tokens.create(sample(), actor)));
      const outcomes = await atOnce(6, () => tokens.create(sample(), actor).catch((error: unknown) => error));
      const details = { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' };
      expect(outcomes.filter((outcome) => outcome instanceof Error)).toEqual(
        Array.from({ length: 4 }, () => expect.objectContaining({ code: 'limit_reached', details })),
      );
      const [first] = await live();
      await tokens.delete(first?.id ?? 0, later(7), actor);
      expect(await tokens.create(sample(), actor)).toMatchObject({ deletedAt: null });
      expect(await live()).toHaveLength(MAX_OPERATOR_TOKENS);
    });
  });
}
