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

const UPLOADS_AT_ONCE = 8;

/** So many photos made of one, no two of the same bytes, at most 500. The ids of the first page of them. */
export async function upload(service, jpeg, count) {
  const api = apiOf(service);
  const files = Array.from({ length: count }, (_, index) => Buffer.concat([jpeg, Buffer.from(String(index))]));
  const { id } = await api('POST', '/imports', {});
  const named = files.map((bytes, index) => ({ filename: `${index}.jpg`, sizeBytes: bytes.length }));
  const { data } = await api('POST', `/imports/${id}/photos`, { photos: named });
  const send = ([index, { photo }]) =>
    fetch(photo.upload.url, { method: 'PUT', headers: photo.upload.headers, body: files[index] });
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
