import { recordRefusals } from '../../src/core/imports/register/refusals.js';
import { Account, type World, world } from '../support/core-world.js';

let ports: World;
let acme: Account;
const empty = { code: 'file_empty', message: 'The file is empty.' } as const;
const NO_BYTES = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const record = (importId: number, ...files: Parameters<typeof recordRefusals>[3]) =>
  recordRefusals(ports, acme.caller, importId, files);

test('a refused file is a failed item of its import, once for each name', async () => {
  const { id } = await acme.start();
  const file = { filename: 'empty.jpg', sizeBytes: 0, sha256: NO_BYTES, error: empty };
  const [first, other, same] = await record(id, file, { ...file, filename: 'other.jpg' }, file);
  expect(first).toMatchObject({ status: 'failed', error: empty, filename: 'empty.jpg', sizeBytes: 0, importId: id });
  expect(other?.id).not.toBe(first?.id);
  expect(same).toEqual(first);
  expect(await record(id, file)).toEqual([first]);
  expect((await acme.import(id)).counts).toMatchObject({ total: 2, failed: 2 });
});

test('a file with invalid values is still listed as refused', async () => {
  const { id } = await acme.start();
  const wrong = { code: 'invalid_request', message: 'wrong' } as const;
  const [item] = await record(id, { filename: `\0\uD800${'n'.repeat(300)}`, sizeBytes: -1, sha256: 'x', error: wrong });
  expect(item).toMatchObject({ status: 'failed', sizeBytes: null, sha256: null, error: wrong });
  expect(item?.filename).toBe(`\uFFFD${'n'.repeat(254)}`);
});

test('an import that is full or has ended takes no refused files, and that of another customer is not found', async () => {
  const { id } = await acme.start();
  const file = { filename: 'empty.jpg', sizeBytes: 0, error: empty };
  const full = { ...ports, limits: { ...ports.limits, importMaxPhotos: 1 } };
  const [first, second] = await recordRefusals(full, acme.caller, id, [file, { ...file, filename: 'b.jpg' }]);
  expect([first?.filename, second]).toEqual(['empty.jpg', null]);
  const stranger = await Account.open(ports);
  await expect(recordRefusals(ports, stranger.caller, id, [file])).rejects.toMatchObject({ code: 'not_found' });
  await acme.finalize(id);
  await expect(record(id, file)).rejects.toMatchObject({ code: 'import_not_open' });
});
