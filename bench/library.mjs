// Photos for a benchmark: few with bytes, or many rows.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { fillLibrary } from './scale/rows-read.mjs';
import { apiOf, root, timedEach } from './service.mjs';

/** Noise does not compress: 3 MB at about 4 megapixels. */
export async function threeMegabytes() {
  const [width, height] = [2000, 1500];
  const noise = { raw: { width, height, channels: 3 } };
  for (let quality = 95; ; quality -= 5) {
    const jpeg = await sharp(randomBytes(width * height * 3), noise)
      .jpeg({ quality })
      .toBuffer();
    if (jpeg.length < 3.3e6) return jpeg;
  }
}

/**
 * A photo in this size. One that is much enlarged has less detail than a camera's photo of that size, and would take less time to decode: it gets
 * grain, so much that 12 megapixels come to 3 or 4 MB, as out of a camera.
 */
export async function resized(path, size) {
  const photo = sharp(path).resize({ ...size, fit: 'fill' });
  const grain = { ...size, channels: 3, background: '#000000', noise: { type: 'gaussian', mean: 128, sigma: 35 } };
  const isMuch = size.width > 2 * (await sharp(path).metadata()).width;
  const input = isMuch ? await sharp({ create: grain }).png({ compressionLevel: 0 }).toBuffer() : null;
  return (input === null ? photo : photo.composite([{ input, blend: 'soft-light' }])).jpeg({ quality: 85 }).toBuffer();
}

/** Another file of the same picture: a JPEG COM segment after the first marker (ITU-T T.81, B.2.4.5), which no decoder looks at. */
export function withComment(jpeg, text) {
  const comment = Buffer.from(text);
  const segment = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, comment, jpeg.subarray(2)]);
}

/** So many files of one picture, no two of the same bytes. */
export function copiesOf(jpeg, count) {
  return Array.from({ length: count }, (_, index) => Buffer.concat([jpeg, Buffer.from(String(index))]));
}

const UPLOADS_AT_ONCE = 8;

/** Imports files, at most 500. The ids of its first photos, at most as many as a page has. */
export async function upload(service, files) {
  const api = apiOf(service);
  const { id } = await api('POST', '/imports', {});
  const named = files.map((bytes, index) => ({ filename: `${index}.jpg`, sizeBytes: bytes.length }));
  const { data } = await api('POST', `/imports/${id}/photos`, { photos: named });
  const send = async ([index, { photo }]) => {
    const { pathname } = new URL(photo.upload.url);
    const answer = await fetch(service.url + pathname, {
      method: 'PUT',
      headers: photo.upload.headers,
      body: files[index],
    });
    if (!answer.ok) throw new Error(`an upload answered ${answer.status}: ${await answer.text()}`);
  };
  await timedEach(data.entries(), UPLOADS_AT_ONCE, send);
  await api('POST', `/imports/${id}/finalize`);
  while ((await api('GET', `/imports/${id}`)).status === 'processing') await delay(500);
  const { photos: items } = await api('GET', `/imports/${id}?include=photos`);
  const failed = items.data.find(({ status }) => status !== 'imported');
  if (failed) throw new Error(JSON.stringify(failed.error));
  return items.data.map(({ photoId }) => photoId);
}

/** Rows of so many photos, for customer 1. */
export async function fill(connection, count) {
  const client = new pg.Client(connection);
  await client.connect();
  const sql = readFileSync(join(root, 'bench', 'scale', 'library.sql'), 'utf8');
  try {
    await fillLibrary((text) => client.query(text), sql, 1, count);
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}
