/* @rest */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { testDatabase, urlOf } from '../support/postgres.js';
import { sha256 } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

/** docs/reliability.md F4: processes that die in the middle of a picture, seen from outside. */

/** Large enough that its decoder is met at work. */
async function slowPicture(): Promise<Uint8Array> {
  const create = { width: 8000, height: 8000, channels: 3 as const, background: '#336699' };
  return sharp({ create }).png({ compressionLevel: 1 }).toBuffer();
}

async function quickPicture(green: number): Promise<{ name: string; bytes: Uint8Array }> {
  const create = { width: 80, height: 60, channels: 3 as const, background: { r: 10, g: green, b: 10 } };
  return { name: `quick ${green}.jpg`, bytes: await sharp({ create }).jpeg().toBuffer() };
}

/** Seconds: a large picture is decoded four times. */
const PATIENCE = 150;

/** Decoding processes below the service that have a file of this size open. */
function readersOf(service: number, sizeBytes: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('media-child') || !isBelow(pid, service))
          return false;
        const files = readdirSync(`/proc/${pid}/fd`).map((fd) => join(`/proc/${pid}/fd`, fd));
        return files.some((file) => /\/picture$/.test(readlinkSync(file)) && statSync(file).size === sizeBytes);
      } catch {
        return false; // it, or its file, is gone meanwhile
      }
    });
}

/** A decoder in a sandbox is not the service's own child. */
function isBelow(pid: number, ancestor: number): boolean {
  if (pid === ancestor || pid <= 1) return pid === ancestor;
  return isBelow(Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]), ancestor);
}

test('a picture that kills its decoder every time fails after three; the others come in, and the API answers all the while', async () => {
  const installation = await Installation.make();
  try {
    await installation.start();
    const client = await installation.client();
    const slow = await slowPicture();
    const quick = await Promise.all([20, 40, 60, 80].map(quickPicture));
    const { id } = (await client.post('/imports')).body;
    expect((await client.inline(id, [{ name: 'slow.png', bytes: slow }, ...quick])).status).toBe(201);
    await client.post(`/imports/${id}/finalize`);
    const killed = new Set<number>();
    const ended = await until(
      'the import to end',
      async () => {
        for (const pid of readersOf(installation.pid, slow.length)) {
          killed.add(pid);
          process.kill(pid, 'SIGSEGV');
        }
        // Its budget is far away, and it never fails.
        const now = await client.get(`/imports/${id}?include=photos`);
        expect(now.status).toBe(200);
        return now.body.status === 'processing' ? false : now.body;
      },
      PATIENCE,
    );
    expect(killed.size).toBe(3);
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { imported: 4, failed: 1 } });
    const items: { filename: string; error: { code: string } | null }[] = ended.photos.data;
    expect(items.filter(({ error }) => error !== null)).toMatchObject([
      { filename: 'slow.png', error: { code: 'decode_failed' } },
    ]);
    // The same picture, when nobody kills its decoder.
    const again = (await client.post('/imports')).body.id;
    await client.inline(again, [{ name: 'slow.png', bytes: slow }]);
    await client.post(`/imports/${again}/finalize`);
    await until(
      'the picture to come in',
      async () => (await client.get(`/imports/${again}`)).body.counts.imported === 1,
    );
  } finally {
    await installation.remove();
  }
});

test('F4: a worker that is killed in the middle of a picture: another takes over, and the photo is there once', async () => {
  const database = await testDatabase();
  const secret = 'a secret that both of the processes have';
  const shared = { DATABASE_URL: urlOf(database), SECRET_KEY: secret, WORKER_CONCURRENCY: '1' };
  const first = await Installation.make(shared);
  const second = await first.rival();
  try {
    await first.start();
    const client = await first.client();
    const slow = await slowPicture();
    const { id } = (await client.post('/imports')).body;
    // Stopped where it is met, so that it is still at work when the service is killed, however slow this machine is.
    const decoding = until('the worker to be at it', () => {
      const [decoder] = readersOf(first.pid, slow.length);
      return decoder !== undefined && process.kill(decoder, 'SIGSTOP');
    });
    await Promise.all([client.inline(id, [{ name: 'slow.png', bytes: slow }]), decoding]);
    await client.post(`/imports/${id}/finalize`);
    // With its decoder, which would stay stopped for ever.
    await first.killEverything();
    await second.start();
    const other = await second.client();
    const ended = await until('the import to end', async () => {
      const now = (await other.get(`/imports/${id}`)).body;
      return now.status === 'processing' ? false : now;
    });
    expect(ended).toMatchObject({ status: 'completed', counts: { total: 1, imported: 1 } });
    const [photo, ...more] = (await other.get('/photos')).body.data;
    expect(more).toEqual([]);
    expect(sha256(await other.bytes(`/photos/${photo.id}/download`))).toBe(sha256(slow));
    expect((await other.bytes(`/photos/${photo.id}/download?rendition=thumb`)).length).toBeGreaterThan(0);
  } finally {
    await second.remove();
    await first.remove();
    await database.close();
  }
});
