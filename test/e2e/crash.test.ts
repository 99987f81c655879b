/* @slow @rest */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, sha256 } from './support/client.js';
import { photoNamed } from './support/life.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { collectGarbage, expectSound } from './support/sound.js';

const folder = join(__dirname, '../fixtures/photos');
const pictures = readdirSync(folder)
  .filter((name) => name.startsWith('orientation-'))
  .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }));

/** Nobody has imported them before. */
const filesFor = (card: string) =>
  pictures.map(({ name, bytes }) => ({ name, bytes: photoNamed(`${card} ${name}`, bytes) }));

describe('F1: kill -9 of everything during an import', () => {
  let installation: Installation;
  let client: Client;
  beforeAll(async () => {
    installation = await Installation.make();
    await installation.start();
    client = await installation.client();
  });
  afterAll(() => installation.remove());

  it.each([0, 3, 7, 11])(
    'after %i of 11 uploads: nothing acknowledged is lost and the import continues',
    async (acknowledged) => {
      const card = `card ${acknowledged}`;
      const files = filesFor(card);
      const { id } = (await client.post('/imports', { clientRef: card })).body;
      const registration = {
        photos: files.map(({ name, bytes }) => ({
          filename: name,
          clientRef: name,
          sizeBytes: bytes.length,
          sha256: sha256(bytes),
        })),
      };
      const { data } = (await client.post(`/imports/${id}/photos`, registration)).body;
      for (let at = 0; at < acknowledged; at += 1) {
        expect((await client.upload(data[at].photo.upload, files[at]?.bytes ?? new Uint8Array())).status).toBe(204);
      }
      // The next one is under way when the lights go out; its outcome is unknown to the client.
      const unknown = files[acknowledged] && client.upload(data[acknowledged].photo.upload, files[acknowledged].bytes);
      await installation.killEverything();
      await unknown?.catch(() => undefined);

      await installation.start();
      const items = (await client.get(`/imports/${id}?include=photos`)).body.photos.data;
      expect(items).toHaveLength(11);
      for (const item of items.slice(0, acknowledged)) expect(['processing', 'ready']).toContain(item.status);
      const again = (await client.post(`/imports/${id}/photos`, registration)).body.data;
      expect(new Set(again.map((result: { outcome: string }) => result.outcome))).toEqual(new Set(['existing']));
      for (const [at, { photo }] of again.entries()) {
        if (photo.status !== 'awaiting_upload') continue;
        expect(at).toBeGreaterThanOrEqual(acknowledged);
        expect((await client.upload(photo.upload, files[at]?.bytes ?? new Uint8Array())).status).toBe(204);
      }
      await client.post(`/imports/${id}/finalize`);
      await expectWhole(id, { imported: 11 });
    },
  );

  it('after finalize: the import ends by itself once the service is back', async () => {
    const { id } = (await client.post('/imports')).body;
    expect((await client.inline(id, filesFor('finalized'))).status).toBe(201);
    expect((await client.post(`/imports/${id}/finalize`)).status).toBe(202);
    await installation.killEverything();

    await installation.start();
    await expectWhole(id, { total: 11, imported: 11 });
  });

  /** The import ends, its photos are there byte for byte, and nothing is left over. */
  async function expectWhole(id: number, counts: Readonly<Record<string, number>>): Promise<void> {
    const ended = await until('the import to end', async () => {
      const now = (await client.get(`/imports/${id}`)).body;
      return now.status === 'processing' ? false : now;
    });
    expect(ended).toMatchObject({ status: 'completed', counts });
    const photos = (await client.get(`/photos?importId=${id}`)).body.data;
    expect(photos).toHaveLength(11);
    for (const photo of photos) expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
    await collectGarbage(installation);
    await expectSound(installation, { graceSeconds: 0 });
  }
});
