/* @rest */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { Front, type Seen } from '../sdk/support/front.js';
import { sha256 } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

jest.setTimeout(900_000);

/** More than a batch of 500. CLIENT_IMPORT_PHOTOS=2000 shows the same of as many. */
const PHOTOS = Number(process.env['CLIENT_IMPORT_PHOTOS'] ?? 510);
const PHS = join(__dirname, '../../cli/dist/phs.js');

/** A small picture that is like no other. */
function snow(): Promise<Buffer> {
  const [width, height, channels] = [64, 48, 3] as const;
  return sharp(randomBytes(width * height * channels), { raw: { width, height, channels } })
    .jpeg()
    .toBuffer();
}

describe(`phs import of ${PHOTOS} photos with a key of the default limits`, () => {
  const home = mkdtempSync(join(tmpdir(), 'phs-client-'));
  const folder = join(home, 'photos');
  const hashes: string[] = [];
  let installation: Installation;
  let front: Front;

  beforeAll(async () => {
    mkdirSync(folder);
    for (let number = 1; number <= PHOTOS; number += 1) {
      const photo = await snow();
      hashes.push(sha256(photo));
      writeFileSync(join(folder, `${number}.jpg`), photo);
    }
    front = await Front.open();
    installation = await Installation.make({ PUBLIC_URL: front.url });
    front.leadTo(installation.url);
    await installation.start();
  });
  afterAll(async () => {
    await installation.remove();
    await front.close();
    await rm(home, { recursive: true, force: true });
  });

  function phsImport(): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
    const { PATH } = process.env;
    const token = installation.token() ?? 'no token was printed';
    const env = { PATH, HOME: home, PHOTO_SERVICE_URL: front.url, PHOTO_SERVICE_TOKEN: token };
    return spawn(process.execPath, [PHS, 'import', folder, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** What went over the wire since the last reset. */
  function figures() {
    const refused = front.seen.filter(({ status }) => status === 429).length;
    const bytes = (sent: readonly Seen[]) => sent.reduce((sum, upload) => sum + upload.bytes, 0);
    const cutOff = front.seen.filter(({ path, status }) => path.startsWith('/uploads/') && status === null);
    const uploads = front.uploads();
    return {
      writes: front.writes().length,
      refused,
      uploads: uploads.length,
      bytes: bytes(uploads),
      cutOff: bytes(cutOff),
    };
  }

  async function imported() {
    const child = phsImport();
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (process.env['CLIENT_IMPORT_PHOTOS']) console.log(stdout, figures());
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  }

  it('can be interrupted when a few of them are sent, with the exit code that shells expect', async () => {
    const child = phsImport();
    await until('some of them to be sent', () => front.uploads().length >= PHOTOS / 8, 600);
    child.kill('SIGINT');
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(code).toBe(130);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'stopped', message: expect.stringContaining('continue') });
  });

  it('is killed when half of them are sent, and goes on: no file is sent twice, no write budget is waited for', async () => {
    const killed = phsImport();
    await until('half of them to be sent', () => front.uploads().length >= PHOTOS / 2, 600);
    killed.kill('SIGKILL');
    await until('the client to be dead', () => killed.signalCode !== null);
    expect(front.uploads().length).toBeLessThan(PHOTOS);

    const result = await imported();
    expect(result).toMatchObject({ total: PHOTOS, imported: PHOTOS, duplicates: 0, failed: [], waitedForLimitsMs: 0 });
    expect(
      front
        .uploads()
        .map((upload) => upload.sha256)
        .sort(),
    ).toEqual([...hashes].sort());
    expect(front.seen.filter(({ status }) => status === 429)).toEqual([]);
    // The import, each batch in all three runs, the end.
    expect(front.writes().length).toBeLessThanOrEqual(2 + 3 * Math.ceil(PHOTOS / 500));
  });

  it('sends nothing at all when it is run a third time', async () => {
    front.reset();
    const result = await imported();
    expect(result).toMatchObject({ total: PHOTOS, imported: 0, duplicates: PHOTOS, failed: [], bytesUploaded: 0 });
    expect(result.waitedForLimitsMs).toBe(0);
    expect(front.seen.filter(({ path }) => path.startsWith('/uploads/'))).toEqual([]);
    expect(front.seen.filter(({ status }) => status === 429)).toEqual([]);
  });

  it('leaves nothing behind that must not stay', () => expectSound(installation, { graceSeconds: 0 }));
});
