import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileScrubPosition } from '../../src/adapters/local-blobs/file-scrub-position.js';
import { MemoryScrubPosition } from '../../testing/memory/memory-integrity.js';
import { scrubPositionContract } from './scrub-position.contract.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scrub-position-'));
});
afterEach(() => rm(folder, { recursive: true }));

scrubPositionContract('file', async () => new FileScrubPosition(join(folder, 'scrub.json')));
scrubPositionContract('memory', async () => new MemoryScrubPosition());

test.each(['', '{', '[]', 'null', '{"beganAt":"never","photos":1}', '{"photos":"1"}'])(
  'a scrub position file that contains %j is no round, and is replaced',
  async (text) => {
    const path = join(folder, 'scrub.json');
    await writeFile(path, text);
    const position = new FileScrubPosition(path);
    expect(await position.read()).toBeNull();
    const round = { beganAt: new Date(), photos: 1, checked: 0, customerId: null, photoId: null, isComplete: false };
    await position.write(round);
    expect(await position.read()).toEqual(round);
    expect(await readdir(folder)).toEqual(['scrub.json']);
  },
);
