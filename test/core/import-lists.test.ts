import type { ImportStatus } from '../../src/core/imports/import.js';
import { listImports } from '../../src/core/imports/read.js';
import { everyPage } from '../../src/core/shared/pagination.js';
import { Account, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';

let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const list = (more: { statuses?: readonly ImportStatus[]; cursor?: string | null; limit?: number } = {}, of = acme) =>
  listImports(ports, of.caller, { limit: 2, cursor: null, ...more });

test('imports are listed newest first, page by page, with their counts, whatever starts meanwhile', async () => {
  const begun = [await acme.start(), await acme.start(), await acme.start()];
  await acme.send(begun[1]?.id ?? 0, [picture('a.jpg'), picture('b.jpg')]);
  const first = await list();
  expect(first.data.map(({ id, counts }) => [id, counts.total])).toEqual([
    [begun[2]?.id, 0],
    [begun[1]?.id, 2],
  ]);
  await acme.start();
  const second = await list({ cursor: first.nextCursor });
  expect([second.data.map(({ id }) => id), second.nextCursor]).toEqual([[begun[0]?.id], null]);
});

test('imports can be listed by state', async () => {
  const [open, done] = [await acme.start(), await acme.start()];
  await acme.finalize(done.id);
  await runJobsUntilIdle(ports);
  expect((await list({ statuses: ['open'] })).data.map(({ id }) => id)).toEqual([open.id]);
  expect((await list({ statuses: ['completed'] })).data.map(({ id }) => id)).toEqual([done.id]);
  expect((await list({ statuses: ['expired'] })).data).toEqual([]);
});

test('a list of imports shows none of another customer, and refuses cursors of others or of another list', async () => {
  for (const _ of Array.from({ length: 3 })) await acme.start();
  const { nextCursor: cursor } = await list();
  const other = await Account.open(ports);
  expect((await list({}, other)).data).toEqual([]);
  await expect(list({ cursor }, other)).rejects.toMatchObject({ code: 'invalid_cursor' });
  await expect(list({ cursor, statuses: ['open'] })).rejects.toMatchObject({ code: 'invalid_cursor' });
});

test('everyPage walks through a list of imports to its end, requesting each page when the one before is used up', async () => {
  const begun = [];
  for (const _ of Array.from({ length: 5 })) begun.unshift((await acme.start()).id);
  let pages = 0;
  const all = everyPage((cursor) => {
    pages += 1;
    return list({ cursor });
  });
  const seen: (readonly [number, number])[] = [];
  for await (const { id } of all) seen.push([id, pages]);
  expect(seen).toEqual(begun.map((id, at) => [id, Math.floor(at / 2) + 1]));
});
