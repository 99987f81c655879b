import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Functions with which a script speaks to the service as the real one does (media-channel.ts), and in other ways: `onJob(work)`,
 * `answer(json, bytes)`, `raw(buffer)`.
 */
export const childChannel = `
  const { Socket: ChannelSocket } = await import('node:net');
  const channel = new ChannelSocket({ fd: 3, readable: true, writable: true });
  const raw = (buffer) => channel.write(buffer);
  const header = (json, bytes) => {
    const buffer = Buffer.alloc(8);
    buffer.writeUInt32BE(json, 0);
    buffer.writeUInt32BE(bytes, 4);
    return buffer;
  };
  const frame = (json, bytes = Buffer.alloc(0)) => {
    const text = Buffer.from(typeof json === 'string' ? json : JSON.stringify(json));
    return Buffer.concat([header(text.length, bytes.length), text, bytes]);
  };
  const answer = (json, bytes) => raw(frame(json, bytes));
  const onJob = (work) => {
    let got = Buffer.alloc(0);
    channel.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      if (got.length < 8 || got.length < 8 + got.readUInt32BE(0) + got.readUInt32BE(4)) return;
      const job = JSON.parse(got.subarray(8, 8 + got.readUInt32BE(0)));
      const bytes = got.subarray(8 + got.readUInt32BE(0));
      got = Buffer.alloc(0);
      work(job, bytes);
    });
    channel.on('error', () => process.exit());
    channel.on('close', () => process.exit());
    answer({ kind: 'ready' });
  };`;

/** What the service is told of a picture by a child that does not read it. */
export const REFUSED = `{ kind: 'refused', error: { code: 'decode_failed', message: 'Not read.' } }`;

/** A picture as a decoder tells of it, which brings the bytes of its thumb. */
export const pictureAnswer = {
  kind: 'picture',
  contentType: 'image/jpeg',
  facts: {
    contentType: 'image/png',
    width: 40,
    height: 30,
    orientation: 1,
    alpha: false,
    damaged: false,
    title: null,
    description: 'Grüße',
    location: { latitude: 52.5, longitude: 13.4, altitude: null },
    rating: 3,
    creator: 'Ada Lovelace',
    copyright: null,
    keywords: ['Paris'],
    camera: { make: 'ACME', model: null, lens: null },
    exposure: { iso: 100, fNumber: 2.8, exposureTime: '1/250', focalLength: 50, focalLength35mm: null, flash: false },
    times: {
      original: '2024:05:01 12:00:00',
      originalSubSec: null,
      originalOffset: null,
      digitized: null,
      digitizedSubSec: null,
      digitizedOffset: null,
      changed: null,
      changedOffset: null,
      xmpCreated: null,
      xmpOriginal: null,
      xmpDigitized: null,
      iptcCreated: null,
      gpsUtc: null,
    },
    positionZone: 'Europe/Berlin',
    thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
    dominantColor: '#336699',
    phash: '0123456789abcdef',
    companion: null,
    exif: { Make: 'ACME', ISOSpeedRatings: 100 },
  },
};
export const PICTURE_ANSWER = JSON.stringify(pictureAnswer);

/**
 * A script for a child process that does what code might do that has taken the decoder over. @param work The body of an asynchronous
 * function: `job` is what the child was asked for, `bytes` is what came with it, `answer(json, bytes)` answers it, `attempt(work)` ignores what is refused.
 */
export async function hostileChild(folder: string, work: string): Promise<string> {
  const script = join(folder, 'hostile-child.mjs');
  await writeFile(
    script,
    `import fs from 'node:fs';
    import { spawn } from 'node:child_process';
    const attempt = (work) => {
      try {
        return work();
      } catch {}
    };
    const until = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    ${childChannel}
    onJob(async (job, bytes) => {
      ${work}
    });`,
  );
  return script;
}

/**
 * Code of functions: `plant` makes a folder with many folders in it, and `swap`, called again and again, replaces those by links to `victim`
 * once somebody has begun to remove them and taken them for folders.
 */
export const swapping = `
  const plant = (tree, count) => {
    fs.mkdirSync(tree);
    for (let at = 0; at < count; at += 1) {
      fs.mkdirSync(tree + '/' + at);
      fs.writeFileSync(tree + '/' + at + '/file', '');
    }
  };
  const swap = (tree, count, victim) => {
    // Read for the first time since its last entry was made: now its entries are looked at.
    const { atimeMs, mtimeMs } = attempt(() => fs.statSync(tree)) ?? {};
    if (atimeMs <= mtimeMs && fs.existsSync(tree + '/0/file')) return false;
    for (let at = count - 1; at >= 0; at -= 1) {
      attempt(() => fs.renameSync(tree + '/' + at, tree + '/aside-' + at));
      attempt(() => fs.symlinkSync(victim, tree + '/' + at));
    }
    return true;
  };`;

/** A folder with files that nothing of a decoder may reach. */
export interface Victim {
  readonly path: string;
  readonly files: number;
  /** How many are there. */
  left(): Promise<number>;
}

export async function victimIn(folder: string): Promise<Victim> {
  const path = join(folder, 'victim');
  const files = 200;
  await mkdir(path);
  for (let at = 0; at < files; at += 1) await writeFile(join(path, `original-${at}`), 'of a customer');
  return { path, files, left: async () => (await readdir(path)).length };
}

/** Whether there is such a process, or one that has ended and was not waited for: until then the service does not know of its end. */
export function isThere(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Processes in whose command line this text is. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (pid !== process.pid && command.includes(text)) found.push(pid);
  }
  return found;
}
