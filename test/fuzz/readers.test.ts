/* @slow @rest */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTargets } from './file-targets.js';
import { fuzz } from './fuzz.js';
import { textTargets } from './text-targets.js';

/** For all readers together. An hour: `npm run fuzz`. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 20);

let folder: string;
beforeAll(async () => {
  // ExifReader says on it what it thinks of each file.
  jest.spyOn(console, 'warn').mockReturnValue();
  folder = await mkdtemp(join(tmpdir(), 'phs-fuzz-'));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const names = [
  ...['tokens', 'cursors', 'delivery-options', 'addresses', 'times'],
  ...['metadata', 'exif', 'xmp', 'iptc', 'sidecars', 'raw', 'companions', 'multipart'],
];
const targets = async () => [...(await textTargets()), ...(await fileTargets(join(folder, 'file')))];

test('each reader is fuzzed', async () => {
  expect((await targets()).map(({ name }) => name)).toEqual(names);
});

describe('whatever bytes come', () => {
  test.each(names)(
    'the reader of %s refuses them, or reads what is plausible, in time',
    async (name) => {
      const target = (await targets()).find((each) => each.name === name);
      if (target === undefined) throw new Error(`there is no reader of ${name}`);
      await fuzz(target, SECONDS / names.length);
    },
    SECONDS * 1000 + 60_000,
  );
});
