import { newToken } from '../../src/core/access/api-key.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import {
  authenticateOperator,
  deleteOperatorToken,
  editOperatorToken,
  issueOperatorToken,
  newOperatorToken,
  type OperatorTokenRequest,
  operatorScopes,
  requireOperatorScope,
} from '../../src/core/operators/operator-token.js';
import { SECOND } from '../../src/core/shared/clock.js';
import { hashRandomToken } from '../../src/core/shared/secrets.js';
import { type World, world } from '../support/core-world.js';

let uses: World;
beforeEach(() => {
  uses = world();
});

const issue = (request: Partial<OperatorTokenRequest> = {}) =>
  issueOperatorToken(uses, commandLine, { name: 'sign-up', scopes: ['all'], ipList: [], expiresAt: null, ...request });

test('an operator token is a prefix and 256 random bits, of which only the hash and the end are stored', async () => {
  const { operatorToken, token } = await issue({ name: ' sign-up ', ipList: ['10.1.2.3/8', '10.0.0.0/8'] });
  expect(token).toMatch(/^phs_op_[0-9A-Za-z]{43}$/);
  expect(operatorToken).toEqual({
    id: 1,
    name: 'sign-up',
    tokenHash: hashRandomToken(token),
    lastFour: token.slice(-4),
    scopes: operatorScopes,
    ipList: ['10.0.0.0/8'],
    expiresAt: null,
    createdAt: uses.clock.now(),
    deletedAt: null,
  });
  expect(JSON.stringify(uses.database.operatorTokens.all())).not.toContain(token);
});

test('all problems of a request for an operator token are reported at once', async () => {
  const wrong = issue({ name: '', scopes: ['photos:read'], ipList: ['x'] });
  await expect(wrong).rejects.toMatchObject({
    code: 'invalid_request',
    details: { errors: ['name', 'ipList', 'scopes'].map((field) => expect.objectContaining({ field })) },
  });
  await expect(issue({ scopes: [] })).rejects.toMatchObject({ message: expect.stringContaining('at least one scope') });
});

test('an operator token is accepted until it expires or is deleted, and the token of an API key never is', async () => {
  const { operatorToken, token } = await issue({ expiresAt: new Date(uses.clock.now().getTime() + SECOND) });
  const lasting = await issue();
  expect(await authenticateOperator(uses, token)).toEqual(operatorToken);
  for (const other of [null, '', newToken(), newOperatorToken(), `${token}x`, token.toLowerCase()]) {
    expect(await authenticateOperator(uses, other)).toBeNull();
  }
  uses.clock.pass(SECOND);
  expect(await authenticateOperator(uses, token)).toBeNull();
  expect(await authenticateOperator(uses, lasting.token)).toEqual(lasting.operatorToken);
  await deleteOperatorToken(uses, commandLine, lasting.operatorToken.id);
  expect(await authenticateOperator(uses, lasting.token)).toBeNull();
  await expect(deleteOperatorToken(uses, commandLine, lasting.operatorToken.id)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('name, IP list and expiry of an operator token can be changed, absent fields and the token stay', async () => {
  const { operatorToken, token } = await issue({ ipList: ['10.0.0.0/8'], scopes: ['keys:write'] });
  const { id } = operatorToken;
  const edited = await editOperatorToken(uses, commandLine, id, { name: ' billing ', expiresAt: new Date(9e12) });
  expect(edited).toEqual({ ...operatorToken, name: 'billing', expiresAt: new Date(9e12) });
  expect(await editOperatorToken(uses, commandLine, id, { ipList: ['203.0.113.9/24'] })).toMatchObject({
    ipList: ['203.0.113.0/24'],
  });
  expect(await authenticateOperator(uses, token)).toMatchObject({ name: 'billing', scopes: ['keys:write'] });
  await expect(editOperatorToken(uses, commandLine, id, { name: '', ipList: ['x'] })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { errors: ['name', 'ipList'].map((field) => expect.objectContaining({ field })) },
  });
  await deleteOperatorToken(uses, commandLine, id);
  await expect(editOperatorToken(uses, commandLine, id, {})).rejects.toMatchObject({ code: 'not_found' });
});

test('several changes of one operator token at once all take effect', async () => {
  const { operatorToken, token } = await issue();
  const { id } = operatorToken;
  const changes = [{ name: 'billing' }, { ipList: ['10.0.0.0/8'] }, { expiresAt: new Date(9e12) }];
  await Promise.all(changes.map((each) => editOperatorToken(uses, commandLine, id, each)));
  expect(await authenticateOperator(uses, token)).toEqual(Object.assign({}, operatorToken, ...changes));
});

test('each change of an operator token leaves an entry in the operator’s log, unless it changes nothing', async () => {
  const issued = uses.clock.now();
  const { operatorToken } = await issue({ name: 'billing' });
  const { id } = operatorToken;
  const expiresAt = new Date(9e12);
  uses.clock.pass(SECOND);
  const edited = uses.clock.now();
  await editOperatorToken(uses, commandLine, id, { name: 'invoices', expiresAt });
  await editOperatorToken(uses, commandLine, id, { name: 'invoices' });
  uses.clock.pass(SECOND);
  const deleted = uses.clock.now();
  await deleteOperatorToken(uses, commandLine, id);
  const missing = { code: 'not_found', details: { resource: 'operator_token' } };
  await expect(editOperatorToken(uses, commandLine, id, { name: 'late' })).rejects.toMatchObject(missing);
  await expect(deleteOperatorToken(uses, commandLine, id)).rejects.toMatchObject(missing);
  await expect(deleteOperatorToken(uses, commandLine, 9e15)).rejects.toMatchObject(missing);
  expect((await uses.operatorTokens.list()).at(-1)).toMatchObject({ name: 'invoices', expiresAt, deletedAt: deleted });
  const who = { actorKind: 'command_line', actorId: null, actorName: null, address: null };
  const about = { customerId: null, subjectId: id, count: 1, ...who };
  expect(await uses.auditLog.operatorEntries({ until: null, tokenId: id, limit: 10 })).toEqual([
    { ...about, at: deleted, action: 'operator_token.deleted', subjectName: 'invoices', changes: [] },
    { ...about, at: edited, action: 'operator_token.edited', subjectName: 'invoices', changes: ['name', 'expiresAt'] },
    { ...about, at: issued, action: 'operator_token.created', subjectName: 'billing', changes: [] },
  ]);
});

test('an operator token without the scope gets an error that names it', async () => {
  const { operatorToken } = await issue({ scopes: ['customers:read'] });
  expect(() => requireOperatorScope(operatorToken, 'customers:read')).not.toThrow();
  expect(() => requireOperatorScope(operatorToken, 'keys:write')).toThrow(
    expect.objectContaining({ code: 'scope_required', details: { scope: 'keys:write' } }),
  );
});
