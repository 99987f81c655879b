/* @rest */
import { createHash, randomFillSync } from 'node:crypto';
import sharp from 'sharp';
import { sha256 } from './support/client.js';
import { peakMemory } from './support/peak-memory.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

const MIB = 1024 * 1024;

/** An uncompressed TIFF of noise: nothing in it can be made smaller, so every byte of it has to pass. */
async function bigPicture(): Promise<Uint8Array> {
  const [width, height] = [7300, 7200];
  const pixels = randomFillSync(new Uint8Array(width * height * 3));
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .tiff({ compression: 'none' })
    .toBuffer();
}

async function downloadDigest(url: string, token: string): Promise<string> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const hash = createHash('sha256');
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) hash.update(chunk);
  return hash.digest('hex');
}

describe('a file of 150 MB', () => {
  it('is uploaded in both ways and downloaded with the API process under 300 MB', async () => {
    const installation = await Installation.make({ INLINE_MAX_BYTES: String(200 * MIB) });
    try {
      await installation.start();
      const token = installation.token() ?? '';
      const client = await installation.client();
      const bytes = await bigPicture();
      expect(bytes.length).toBeGreaterThan(150_000_000);
      const { id } = (await client.post('/imports')).body;
      const registration = { photos: [{ filename: 'big.tif', sizeBytes: bytes.length, sha256: sha256(bytes) }] };
      const { upload } = (await client.post(`/imports/${id}/photos`, registration)).body.data[0].photo;
      expect((await client.upload(upload, bytes)).status).toBe(204);
      const other = Uint8Array.from(bytes);
      // Another pixel in the middle: the directory is at the end.
      other[80_000_000] = (other[80_000_000] ?? 0) ^ 1;
      expect((await client.inline(id, [{ name: 'other.tif', bytes: other }])).status).toBe(201);
      expect((await client.post(`/imports/${id}/finalize`)).status).toBe(202);
      const ended = await until('the import to end', async () => {
        const now = (await client.get(`/imports/${id}?include=photos`)).body;
        return now.status === 'processing' ? false : now;
      });
      expect(ended).toMatchObject({ status: 'completed', counts: { imported: 2 } });
      const [photo] = (await client.get('/photos?sort=id')).body.data;
      expect(photo).toMatchObject({ width: 7300, height: 7200, sha256: sha256(bytes) });
      expect(await downloadDigest(`${installation.url}/api/v1/photos/${photo.id}/download`, token)).toBe(photo.sha256);
      expect(peakMemory(installation.pid)).toBeLessThan(300 * 1000 * 1000);
    } finally {
      await installation.remove();
    }
  });
});
