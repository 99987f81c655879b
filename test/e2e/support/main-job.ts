import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, sha256 } from './client.js';
import { until } from './processes.js';
import type { Installation } from './service.js';
import { expectSound } from './sound.js';

const photos = join(__dirname, '../../fixtures/photos');
const file = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(join(photos, name))) });
const registered = file('nokia83-gps-offset.jpg');
const inline = [file('cyclamen.jpg'), file('orientation-landscape-6.jpg'), file('made-text-renamed.jpg')];

/** All nineteen endpoints, and a restart, for a customer called "First customer" who has nothing yet and a key with all scopes. */
export function itDoesTheMainJob(given: () => { readonly installation: Installation; readonly client: Client }): void {
  it('GET /me and GET /customer work', async () => {
    const me = await given().client.get('/me');
    expect(me.status).toBe(200);
    expect(me.body.customer.name).toBe('First customer');
    expect(me.body.apiKey.scopes).toHaveLength(6);
    expect(me.body.rateLimit.remaining).toBe(Number(me.headers.get('x-ratelimit-remaining')));
    const customer = await given().client.get('/customer');
    expect(customer.body).toMatchObject({ id: me.body.customer.id, usage: { photos: 0 } });
    expect(customer.body.formats).toContain('image/jpeg');
  });

  it('POST /tags, GET /tags, GET /tags/{id}, PATCH /tags/{id}', async () => {
    const created = await given().client.post('/tags', { name: 'Holiday', color: '#3366FF' });
    expect(created.status).toBe(201);
    expect((await given().client.get('/tags')).body.data.map((tag: { name: string }) => tag.name)).toEqual(['Holiday']);
    const patched = await given().client.patch(`/tags/${created.body.id}`, { description: 'sun' });
    expect(patched.body).toMatchObject({ name: 'Holiday', color: '#3366ff', description: 'sun', version: 2 });
    expect((await given().client.get(`/tags/${created.body.id}`)).body).toEqual(patched.body);
  });

  it('POST /imports, POST /imports/{id}/photos both ways, PATCH of an item, GET, finalize', async () => {
    const opened = await given().client.post('/imports', { name: 'first', tagNames: ['Holiday'] });
    expect(opened.status).toBe(201);
    const id = opened.body.id;

    const direct = await given().client.post(`/imports/${id}/photos`, {
      photos: [{ filename: registered.name, sizeBytes: registered.bytes.length, sha256: sha256(registered.bytes) }],
    });
    expect(direct.status).toBe(201);
    const item = direct.body.data[0].photo;
    expect(item.status).toBe('awaiting_upload');
    expect((await given().client.post(`/imports/${id}/finalize`)).body.error.code).toBe('uploads_incomplete');
    expect((await given().client.upload(item.upload, registered.bytes)).status).toBe(204);
    const patched = await given().client.patch(`/imports/${id}/photos/${item.id}`, { title: 'Helsinki' });
    expect(patched.body).toMatchObject({ id: item.id, title: 'Helsinki' });

    const sent = await given().client.inline(id, inline);
    expect(sent.status).toBe(201);
    expect(sent.body.data.map((result: { outcome: string }) => result.outcome)).toEqual([
      'created',
      'created',
      'rejected',
    ]);
    expect(sent.body.data[2].error.code).toBe('not_an_image');

    const finalized = await given().client.post(`/imports/${id}/finalize`, undefined, { Prefer: 'wait=15' });
    expect([200, 202]).toContain(finalized.status);
    const ended = await until('the import to end', async () => {
      const now = (await given().client.get(`/imports/${id}?include=photos`)).body;
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
    const list = await given().client.get('/photos?sort=id&limit=2');
    expect(list.body.pagination.hasMore).toBe(true);
    const rest = await given().client.get(`/photos?sort=id&limit=2&cursor=${list.body.pagination.nextCursor}`);
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
    expect((await given().client.get(`/photos/${nokia.id}`)).body).toEqual(nokia);
  });

  it('PATCH /photos/{id}, PUT and GET /photos/{id}/tags', async () => {
    const [photo] = (await given().client.get('/photos?sort=filename&limit=1')).body.data;
    expect(
      (await given().client.patch(`/photos/${photo.id}`, { rating: 5, filename: 'Alpenveilchen.jpg' })).body.rating,
    ).toBe(5);
    const tagged = await given().client.put(`/photos/${photo.id}/tags`, { tagNames: ['Garden', 'flower'] });
    expect(tagged.body.data.map((tag: { name: string }) => tag.name)).toEqual(['flower', 'Garden']);
    expect((await given().client.get(`/photos/${photo.id}/tags`)).body).toEqual(tagged.body);
  });

  it('GET /photos/{id}/download: the original byte for byte, and renditions', async () => {
    for (const photo of (await given().client.get('/photos')).body.data) {
      expect(sha256(await given().client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
      expect((await given().client.bytes(`/photos/${photo.id}/download?rendition=small`)).length).toBeGreaterThan(1000);
    }
  });

  it('DELETE /photos/{id}, DELETE /tags/{id}', async () => {
    const [photo] = (await given().client.get('/photos?q=landscape')).body.data;
    expect((await given().client.delete(`/photos/${photo.id}`)).status).toBe(204);
    expect((await given().client.get(`/photos/${photo.id}`)).status).toBe(404);
    const garden = (await given().client.get('/tags?name=garden')).body.data[0];
    expect((await given().client.delete(`/tags/${garden.id}`)).status).toBe(204);
    expect((await given().client.get(`/tags/${garden.id}`)).status).toBe(404);
  });

  it('has all data when it is started again', async () => {
    const before = (await given().client.get('/photos?trashed=any&sort=id')).body;
    const tags = (await given().client.get('/tags')).body;
    expect(await given().installation.stop()).toBe(0);
    await given().installation.start();
    expect(given().installation.token()).toBeNull();
    expect((await given().client.get('/photos?trashed=any&sort=id')).body).toEqual(before);
    expect((await given().client.get('/tags')).body).toEqual(tags);
    for (const photo of (await given().client.get('/photos')).body.data) {
      expect(sha256(await given().client.bytes(`/photos/${photo.id}/download`))).toBe(photo.sha256);
    }
  });

  it('leaves nothing behind that must not stay', () => expectSound(given().installation, { graceSeconds: 0 }));

  it('keeps keys out of its output', () => {
    expect(given().installation.printed()).not.toContain('phs_live_');
    expect(given().installation.printed()).not.toContain('/uploads/');
  });
}
