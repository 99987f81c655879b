/* @rest */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyDatabase, type TestDatabase, urlOf } from '../support/postgres.js';
import { sha256 } from './support/client.js';
import { Installation } from './support/service.js';

const bytes = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/cyclamen.jpg')));

describe('on a Postgres server of its own, by DATABASE_URL', () => {
  let database: TestDatabase;
  let installation: Installation;
  beforeAll(async () => {
    database = await emptyDatabase();
    installation = await Installation.make({ DATABASE_URL: urlOf(database) });
  });
  afterAll(async () => {
    await installation.remove();
    await database.close();
  });

  it('does the main job, and has everything when it is started again', async () => {
    await installation.start();
    const client = await installation.client();
    const { id } = (await client.post('/imports')).body;
    await client.inline(id, [{ name: 'cyclamen.jpg', bytes }]);
    const ended = await client.post(`/imports/${id}/finalize`, undefined, { Prefer: 'wait=15' });
    expect(ended.body).toMatchObject({ status: 'completed', counts: { imported: 1 } });
    expect(await installation.stop()).toBe(0);
    await installation.start();
    const [photo] = (await client.get('/photos')).body.data;
    expect(sha256(await client.bytes(`/photos/${photo.id}/download`))).toBe(sha256(bytes));
  });

  it('starts no embedded database', () => {
    expect(existsSync(join(installation.dataDir, 'pg18'))).toBe(false);
  });

  it('F24: says what to do when the server cannot be reached', async () => {
    const lost = await Installation.make({ DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' });
    const { status, output } = await lost.startInVain();
    await lost.remove();
    expect(status).toBe(4);
    expect(output).toContain('database');
    expect(output).not.toContain('secret-word');
  });
});
