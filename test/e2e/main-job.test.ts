import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, sha256 } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { expectSound } from './support/sound.js';

const photos = join(__dirname, '../fixtures/photos');
const file = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(join(photos, name))) });

describe.each(['one process', 'three processes'])(
  'the built program, as %s, used through all nineteen endpoints, stopped and started again',
  (processes) => {
    let installation: Installation;
    let client: Client;
    const registered = file('nokia83-gps-offset.jpg');
    const inline = [file('cyclamen.jpg'), file('orientation-landscape-6.jpg'), file('made-text-renamed.jpg')];

    beforeAll(async () => {
      installation = await Installation.make({ PROCESSES: processes === 'one process' ? '1' : '3' });
      await installation.start();
      client = new Client(installation.url, installation.token() ?? 'no token was printed');
    });
    afterAll(() => installation.remove());

    it('writes a key and a link into files at its first start, and prints where they are, not what', () => {
      expect(installation.token()).toMatch(/^phs_live_\w{49}$/);
      expect(installation.link()).toMatch(/^http:\S+\/settings\/enter\/[\w-]{43}$/);
      for (const name of ['first-key', 'first-link']) {
        expect(statSync(join(installation.dataDir, name)).mode & 0o777).toBe(0o600);
      }
      expect(installation.printed()).not.toContain('phs_live_');
      expect(installation.printed()).not.toContain('/settings/enter/');
    });

    it('GET /me and GET /customer', async () => {
      const me = await client.get('/me');
      expect(me.status).toBe(200);
      expect(me.body.customer.name).toBe('First customer');
      expect(me.body.apiKey.scopes).toHaveLength(6);
      expect(me.body.rateLimit.remaining).toBe(Number(me.headers.get('x-ratelimit-remaining')));
      const customer = await client.get('/customer');
      expect(customer.body).toMatchObject({ id: me.body.customer.id, usage: { photos: 0 } });
      expect(customer.body.formats).toContain('image/jpeg');
    });

    it('POST /tags, GET /tags, GET /tags/{id}, PATCH /tags/{id}', async () => {
      const created = await client.post('/tags', { name: 'Holiday', color: '#3366FF' });
      expect(created.status).toBe(201);
      expect((await client.get('/tags')).body.data.map((tag: { name: string }) => tag.name)).toEqual(['Holiday']);
      const patched = await client.patch(`/tags/${created.body.id}`, { description: 'sun' });
      expect(patched.body).toMatchObject({ name: 'Holiday', color: '#3366ff', description: 'sun', version: 2 });
      expect((await client.get(`/tags/${created.body.id}`)).body).toEqual(patched.body);
    });

    it('POST /imports, POST /imports/{id}/photos both ways, PATCH of an item, GET, finalize', async () => {
      const opened = await client.post('/imports', { name: 'first', tagNames: ['Holiday'] });
      expect(opened.status).toBe(201);
      const id = opened.body.id;

      const direct = await client.post(`/imports/${id}/photos`, {
        photos: [{ filename: registered.name, sizeBytes: registered.bytes.length, sha256: sha256(registered.bytes) }],
      });
      expect(direct.status).toBe(201);
      const item = direct.body.data[0].photo;
      expect(item.status).toBe('awaiting_upload');
      expect((await client.post(`/imports/${id}/finalize`)).body.error.code).toBe('uploads_incomplete');
      expect((await client.upload(item.upload, registered.bytes)).status).toBe(204);
      const patched = await client.patch(`/imports/${id}/photos/${item.id}`, { title: 'Helsinki' });
      expect(patched.body).toMatchObject({ id: item.id, title: 'Helsinki' });

      const sent = await client.inline(id, inline);
      expect(sent.status).toBe(201);
      expect(sent.body.data.map((result: { outcome: string }) => result.outcome)).toEqual([
        'created',
        'created',
        'rejected',
      ]);
      expect(sent.body.data[2].error.code).toBe('not_an_image');

      const finalized = await client.post(`/imports/${id}/finalize`, undefined, { Prefer: 'wait=15' });
      expect([200, 202]).toContain(finalized.status);
      const ended = await until('the import to end', async () => {
        const now = (await client.get(`/imports/${id}?include=photos`)).body;
        return now.status === 'processing' ? false : now;
      });
      expect(ended).toMatchObject({ status: 'completed', progress: 1, counts: { total: 3, imported: 3 } });
      expect(ended.photos.data[0]).toMatchObject({ contentType: 'image/jpeg', width: 4608, height: 1976 });
      expect(ended.photos.data.map((each: { status: string }) => each.status)).toEqual([
        'imported',
        'imported',
        'imported',
      ]);
    });

    it('GET /photos, GET /photos/{id}', async () => {
      const list = await client.get('/photos?sort=id&limit=2');
      expect(list.body.pagination.hasMore).toBe(true);
      const rest = await client.get(`/photos?sort=id&limit=2&cursor=${list.body.pagination.nextCursor}`);
      expect(rest.body.pagination).toEqual({ nextCursor: null, hasMore: false });
      const all = [...list.body.data, ...rest.body.data];
      expect(all).toHaveLength(3);
      const nokia = all.find((photo) => photo.filename === registered.name);
      expect(nokia).toMatchObject({
        title: 'Helsinki',
        width: 4608,
        height: 1976,
        takenAt: '2022-08-14T11:12:31.000Z',
        timeZone: '+03:00',
        takenAtSource: 'exif_offset',
        camera: { make: 'HMD Global', model: 'Nokia 8.3 5G' },
        tags: [{ name: 'Holiday' }],
      });
      expect((await client.get(`/photos/${nokia.id}`)).body).toEqual(nokia);
    });

    it('PATCH /photos/{id}, PUT and GET /photos/{id}/tags', async () => {
      const [photo] = (await client.get('/photos?sort=filename&limit=1')).body.data;
      expect(
        (await client.patch(`/photos/${photo.id}`, { rating: 5, filename: 'Alpenveilchen.jpg' })).body.rating,
      ).toBe(5);
      const tagged = await client.put(`/photos/${photo.id}/tags`, { tagNames: ['Garden', 'flower'] });
      expect(tagged.body.data.map((tag: { name: string }) => tag.name)).toEqual(['flower', 'Garden']);
      expect((await client.get(`/photos/${photo.id}/tags`)).body).toEqual(tagged.body);
    });

    it('GET /photos/{id}/download: the original byte for byte, and renditions', async () => {
      for (const photo of (await client.get('/photos')).body.data) {
        expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
        expect((await client.bytes(`/photos/${photo.id}/download?rendition=small`)).length).toBeGreaterThan(1000);
      }
    });

    it('DELETE /photos/{id}, DELETE /tags/{id}', async () => {
      const [photo] = (await client.get('/photos?q=landscape')).body.data;
      expect((await client.delete(`/photos/${photo.id}`)).status).toBe(204);
      expect((await client.get(`/photos/${photo.id}`)).status).toBe(404);
      const garden = (await client.get('/tags?name=garden')).body.data[0];
      expect((await client.delete(`/tags/${garden.id}`)).status).toBe(204);
      expect((await client.get(`/tags/${garden.id}`)).status).toBe(404);
    });

    it('has everything when it is started again', async () => {
      const before = (await client.get('/photos?trashed=any&sort=id')).body;
      const tags = (await client.get('/tags')).body;
      expect(await installation.stop()).toBe(0);
      await installation.start();
      expect(installation.token()).toBeNull();
      expect((await client.get('/photos?trashed=any&sort=id')).body).toEqual(before);
      expect((await client.get('/tags')).body).toEqual(tags);
      for (const photo of (await client.get('/photos')).body.data) {
        expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
      }
    });

    it('leaves nothing that must not be', () => expectSound(installation, { graceSeconds: 0 }));

    it('keeps keys out of its output', () => {
      expect(installation.printed()).not.toContain('phs_live_');
      expect(installation.printed()).not.toContain('/uploads/');
    });
  },
);
