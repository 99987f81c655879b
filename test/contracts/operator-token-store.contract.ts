import { type Actor, commandLine } from '../../src/core/audit/audit-entry.js';
import type { AuditLog } from '../../src/core/audit/audit-log.js';
import {
  deleteOperatorToken,
  editOperatorToken,
  issueOperatorToken,
  MAX_OPERATOR_TOKENS,
  type NewOperatorToken,
  type OperatorToken,
  type OperatorTokenStore,
  operatorScopes,
} from '../../src/core/operators/operator-token.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
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

    const insert = (values: Partial<NewOperatorToken> = {}) =>
      tokens.transaction((transaction) => transaction.insert(sample(values)));
    const change = (token: OperatorToken, values: Partial<OperatorToken>) =>
      tokens.transaction((transaction) => transaction.update({ ...token, ...values }));

    it('stores every value under a new id, and finds it by its hash', async () => {
      const full = sample({
        name: 'É "q" 📷',
        scopes: operatorScopes,
        ipList: ['203.0.113.0/24', '2001:db8::/32'],
        expiresAt: later(1),
        createdAt: later(2),
      });
      for (const values of [sample(), full]) {
        const token = await insert(values);
        expect(token).toEqual({ ...values, id: token.id, deletedAt: null });
        expect(await tokens.findByHash(values.tokenHash)).toEqual(token);
        expect(await tokens.findByHash(values.tokenHash.toUpperCase())).toBeNull();
      }
      expect(await tokens.findByHash(sampleHash())).toBeNull();
    });

    it('returns expired tokens, because the rule in core decides', async () => {
      const token = await insert({ expiresAt: new Date(0) });
      expect(await tokens.findByHash(token.tokenHash)).toEqual(token);
    });

    it('finds no token from the moment it is deleted, and lists it with that time', async () => {
      const token = await insert();
      await change(token, { deletedAt: later(5) });
      expect(await tokens.findByHash(token.tokenHash)).toBeNull();
      expect((await tokens.list()).at(-1)).toEqual({ ...token, deletedAt: later(5) });
    });

    it('changes every field of one token, and no other', async () => {
      const [token, other] = [await insert(), await insert()];
      const settings = { name: 'É "q" 📷', ipList: ['203.0.113.0/24'], expiresAt: later(9) };
      await change(token, settings);
      expect(await tokens.findByHash(token.tokenHash)).toEqual({ ...token, ...settings });
      await change(token, { ipList: [], expiresAt: null });
      expect(await tokens.findByHash(token.tokenHash)).toEqual(token);
      expect(await tokens.findByHash(other.tokenHash)).toEqual(other);
    });

    it('commits tokens with entries of the operator’s log, or neither', async () => {
      const record = async (fails: boolean) =>
        tokens.transaction(async (transaction) => {
          const subject = await transaction.insert(sample({ name: 'billing' }));
          const entry = { action: 'operator_token.created', at: later(1), subject } as const;
          await transaction.addOperatorEntry(actor, entry);
          if (fails) throw new Error('no');
          return subject;
        });
      const before = await tokens.list();
      await expect(record(true)).rejects.toThrow('no');
      expect(await tokens.list()).toEqual(before);
      const { id } = await record(false);
      const entries = await opened.auditLog.operatorEntries({ until: null, tokenId: null, limit: 10 });
      const who = { actorKind: 'operator', actorId: 9e14, actorName: actor.name, address: '203.0.113.9' };
      const about = { customerId: null, subjectId: id, subjectName: 'billing', count: 1, changes: [], ...who };
      expect(entries).toEqual([{ ...about, at: later(1), action: 'operator_token.created' }]);
    });

    it('lists the oldest token first', async () => {
      const made = [await insert(), await insert()];
      expect((await tokens.list()).slice(-2)).toEqual(made);
      expect(await tokens.transaction((transaction) => transaction.list())).toEqual(await tokens.list());
    });

    const uses = () => ({ operatorTokens: tokens, clock: new SettableClock() });

    it('loses none of several changes at once, if they differ', async () => {
      const token = await insert();
      const changes = [{ name: 'billing' }, { ipList: ['203.0.113.0/24'] }, { expiresAt: new Date(9e12) }, {}];
      await atOnce(12, (at) => editOperatorToken(uses(), commandLine, token.id, changes[at % changes.length] ?? {}));
      expect(await tokens.findByHash(token.tokenHash)).toEqual(Object.assign({}, token, ...changes));
    });

    it(`has at most ${MAX_OPERATOR_TOKENS} that are not deleted, however many are created at once`, async () => {
      const live = async () => (await tokens.list()).filter(({ deletedAt }) => deletedAt === null);
      const room = MAX_OPERATOR_TOKENS - (await live()).length;
      await atOnce(room - 2, () => insert());
      const request = { name: 'sign-up', scopes: ['all'], ipList: [], expiresAt: null };
      const issue = () => issueOperatorToken(uses(), commandLine, request);
      const outcomes = await atOnce(6, () => issue().catch((error: unknown) => error));
      const details = { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' };
      expect(outcomes.filter((outcome) => outcome instanceof Error)).toEqual(
        Array.from({ length: 4 }, () => expect.objectContaining({ code: 'limit_reached', details })),
      );
      const [first] = await live();
      await deleteOperatorToken(uses(), commandLine, first?.id ?? 0);
      expect(await issue()).toMatchObject({ operatorToken: { deletedAt: null } });
      expect(await live()).toHaveLength(MAX_OPERATOR_TOKENS);
    });
  });
}
