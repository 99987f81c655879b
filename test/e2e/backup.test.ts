/* @slow @rest */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { BackupFolder } from '../../src/cli/backup/backup-folder.js';
import { signatureText } from '../../src/cli/backup/manifest.js';
import { timeOfBackup } from '../../src/core/backup/signature.js';
import { present } from '../support/tenant.js';
import { Client, sha256 } from './support/client.js';
import { Failpoints } from './support/failpoints.js';
import { liveThrough, persist, photoNamed } from './support/life.js';
import type { CommandResult } from './support/operator.js';
import { until } from './support/processes.js';
import { freePort, Installation } from './support/service.js';
import { ImageSigner } from './support/signed-image.js';
import { collectGarbage, expectSound, verification } from './support/sound.js';

/** Imports photos; answers their ids by the name that their bytes were made of. */
async function bring(client: Client, names: readonly string[]): Promise<Map<string, number>> {
  const post = (path: string, body?: unknown) => {
    const key = { 'Idempotency-Key': randomUUID() };
    return persist(() => client.post(path, body, key));
  };
  const subject = (await post('/imports', { tagNames: ['kept'] })).body.id;
  const files = names.map((name) => ({ name: `${name}.jpg`, bytes: photoNamed(name) }));
  expect((await persist(() => client.inline(subject, files))).status).toBe(201);
  await post(`/imports/${subject}/finalize`);
  await until('the import to end', async () => (await client.get(`/imports/${subject}`)).body.status === 'completed');
  const { data } = (await persist(() => client.get(`/photos?importId=${subject}&limit=100`))).body;
  return new Map(data.map(({ id, filename }: { id: number; filename: string }) => [filename.replace('.jpg', ''), id]));
}

/** Clients that import, edit, trash, restore, purge and discard photos while backups are made. */
const WRITERS = 3;

const json = ({ status, stdout, stderr }: CommandResult) => {
  if (stdout === '') throw new Error(`it ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
};

describe('F22: phs backup and phs restore', () => {
  let original: Installation;
  let restored: Installation;
  let folder: string;
  /** Where the restored installation makes backups by itself. */
  let nightly: string;
  let metricsPort: number;
  let identityFile: string;
  let recipient: string;
  /** What somebody noted who made a backup. */
  let signedBy: string;
  let token: string;
  let client: Client;
  let failpoints: Failpoints;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'phs-backup-'));
    nightly = join(mkdtempSync(join(tmpdir(), 'phs-nightly-')), 'backups');
    const identity = await generateX25519Identity();
    recipient = await identityToRecipient(identity);
    identityFile = join(folder, 'identity.txt');
    writeFileSync(identityFile, identity);
    metricsPort = await freePort();
    const settings = { BACKUP_TO: nightly, METRICS_PORT: String(metricsPort) };
    [original, restored] = [await Installation.make(), await Installation.empty(settings)];
    await original.start();
    token = original.token() ?? '';
    client = await original.client();
  });
  afterAll(async () => {
    await original.remove();
    await restored.remove();
    for (const each of [folder, dirname(nightly)]) rmSync(each, { recursive: true, force: true });
  });

  const names = Array.from({ length: 8 }, (_, number) => `photo-${number}`);
  let photos: Map<string, number>;
  let waiting: number;
  /** The name of an original that is never purged. */
  let keptOriginal: string;

  let image: string;

  it('back everything up while writes go on, and only new files the next time', async () => {
    photos = await bring(client, names);
    keptOriginal = present(readdirSync(join(original.dataDir, 'blobs', 'originals', '1'))[0]);
    await client.delete(`/photos/${photos.get('photo-7')}`);
    image = (await ImageSigner.of(original)).path(photos.get('photo-0') ?? 0, 'p=card,f=png');
    await original.operate('preset', 'set', 'card', 'w=8,h=8,fit=fill', '--customer', '1');
    expect((await persist(() => fetch(original.url + image))).status).toBe(200);
    // Not finalized: its files are ready, or on their way to it.
    waiting = (await client.post('/imports', { clientRef: 'waiting' })).body.id;
    await client.inline(waiting, [{ name: 'later.jpg', bytes: photoNamed('later') }]);
    let over = false;
    const writer = async (_: unknown, number: number) => {
      for (let round = 0; !over; round += 1) await liveThrough(client, `writer ${number}, round ${round}`);
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, writer));
    const first = json(await original.command('backup', folder, '--recipient', recipient, '--json'));
    expect(first).toMatchObject({ ok: true, problems: [] });
    expect(first.copied).toBeGreaterThanOrEqual(9);
    const more = await bring(client, ['second-backup']);
    const second = json(await original.command('backup', folder, '--recipient', recipient, '--json'));
    over = true;
    await writing;
    expect(second).toMatchObject({ ok: true, problems: [], signedBy: first.signedBy });
    signedBy = first.signedBy;
    // What waits may have become ready since, and has other names then.
    expect(second.unchanged).toBeGreaterThanOrEqual(names.length);
    expect(more.size).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(['blobs.age', 'identity.txt', first.name, second.name].sort());
    expect(readdirSync(join(folder, 'blobs.age'))).not.toContain('renditions');
    for (const file of readdirSync(join(folder, first.name)))
      expect(statSync(join(folder, first.name, file)).mode & 0o777).toBe(0o600);
  });

  it('refuse a folder without a complete backup, and a damaged or newer one, and change nothing', async () => {
    const other = mkdtempSync(join(tmpdir(), 'phs-backup-'));
    try {
      mkdirSync(join(other, '2026-01-01T00-00-00.000Z.unfinished'));
      const half = await restored.command('restore', other);
      expect([half.status, half.stderr]).toEqual([4, expect.stringContaining('1 incomplete')]);
    } finally {
      rmSync(other, { recursive: true });
    }
    const newest = join(
      folder,
      readdirSync(folder)
        .filter((name) => /^2/.test(name))
        .sort()
        .at(-1) ?? '',
    );
    const refused = async (signer = signedBy) => {
      const given = ['--identity', identityFile, '--signed-by', signer];
      const { status, stderr } = await restored.command('restore', folder, ...given);
      expect(status).toBe(4);
      return stderr;
    };
    const withOtherByte = (bytes: Buffer) => {
      const middle = bytes.length >> 1;
      return bytes.with(middle, (bytes[middle] ?? 0) ^ 1);
    };
    await changed(join(newest, 'photos.copy.gz.age'), withOtherByte, async () => {
      expect(await refused()).toContain('photos.copy.gz.age was altered. Nothing was written');
    });
    const blobs = join(folder, 'blobs.age', 'originals', '1');
    // Not any: those that only the first backup needs are of no concern here.
    const blob = present(readdirSync(blobs).find((name) => name.startsWith(keptOriginal)));
    await changed(join(blobs, blob), withOtherByte, async () => {
      expect(await refused()).toContain(`${blob} was altered.\nNothing was written`);
    });
    expect(await refused(`${signedBy.slice(0, -3)}AAA`)).toMatch(/signed by/i);
    const withoutIdentity = await restored.command('restore', folder);
    expect([withoutIdentity.status, withoutIdentity.stderr]).toEqual([4, expect.stringContaining('--identity')]);
    const named = (name: string) => (bytes: Buffer) =>
      Buffer.from(bytes.toString().replace('Traffic1764000000012', name));
    const secret = readFileSync(join(original.dataDir, 'secret-key'), 'utf8').trim();
    const signed = () => Buffer.from(signatureText([secret], readFileSync(join(newest, 'manifest.json'), 'utf8')));
    await changed(join(newest, 'manifest.json'), named('Later1999900000001'), async () => {
      expect(await refused()).toContain('manifest.json was altered');
      await changed(join(newest, 'manifest.sig'), signed, async () => {
        expect(await refused()).toContain('newer version (Later1999900000001)');
      });
    });
    const there = readdirSync(restored.dataDir);
    await changed(join(newest, 'manifest.json'), named('KeyAddresses1763700000030'), async () => {
      await changed(join(newest, 'manifest.sig'), signed, async () => {
        expect(await refused()).toContain(
          'The backup was made by a version before 0.1.0, and nothing has been written: restore it with that version, export its photos there (phs export), and import them with this one',
        );
        const checked = await restored.command('restore', folder, '--check', '--signed-by', signedBy);
        expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('nothing in it was altered')]);
      });
    });
    expect(readdirSync(restored.dataDir)).toEqual(there);
  });

  it('restore everything after the loss of the whole installation: the key, the rows, the photos byte for byte', async () => {
    const [{ id: tagId }] = (await client.get('/tags')).body.data;
    const ours = `/photos?sort=id&limit=100&tagIds=${tagId}`;
    const kept = (await client.get(`${ours}&trashed=any`)).body.data;
    expect(kept).toHaveLength(9);
    await original.killEverything();
    rmSync(original.dataDir, { recursive: true });
    // Another machine: it has none of the secrets, but for what people kept elsewhere.
    expect(existsSync(join(restored.dataDir, 'secret-key'))).toBe(false);
    const given = ['--identity', identityFile, '--signed-by', signedBy];
    const result = json(await restored.command('restore', folder, ...given, '--json'));
    expect(result).toMatchObject({ ok: true, wrong: [] });
    expect(await verification(restored)).toMatchObject({ ok: true, problems: [] });
    failpoints = new Failpoints(restored);
    failpoints.arm('backup-command:makeBackup/backup.removePart');
    await restored.start(failpoints.settings);
    const again = new Client(restored.url, token);
    const listed = async (path: string) => {
      const { status, body } = await persist(() => again.get(path));
      expect([status, body.error]).toEqual([200, undefined]);
      return body.data;
    };
    expect(await listed(`${ours}&trashed=any`)).toEqual(kept);
    const downloaded = (name: string, query = '') =>
      persist(() => again.bytes(`/photos/${photos.get(name)}/download${query}`));
    for (const name of names.slice(0, 7)) expect(sha256(await downloaded(name))).toBe(sha256(photoNamed(name)));
    expect((await downloaded('photo-0', '?rendition=thumb')).length).toBeGreaterThan(100);
    expect(await listed('/tags')).toMatchObject([{ id: tagId, name: 'kept' }]);
    expect(await listed(ours)).toHaveLength(8);
    // Signed before the loss, by a preset, and made again.
    const made = await persist(() => fetch(restored.url + image));
    expect(made.headers.get('content-type')).toBe('image/png');
  });

  it('F33: run on a schedule of the service, which removes a backup that was killed halfway', async () => {
    // Not the folder alone: it is there before anything is in it, and a process that is not killed yet might complete it.
    await until('a backup to be killed', () => restored.printed().includes('failed to make a backup'));
    const { whole, unfinished: cut } = await BackupFolder.list(nightly);
    expect([whole, cut]).toEqual([[], [expect.any(String)]]);
    const files = readdirSync(join(nightly, cut[0] ?? ''));
    expect([files.includes('blobs.jsonl.gz'), files.some((name) => name.startsWith('wanted'))]).toEqual([true, false]);
    await restored.killEverything();
    failpoints.disarm();
    const refused = await restored.command('restore', nightly, '--check');
    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('1 incomplete')]);
    await restored.start();
    const [name = ''] = await until('a backup', async () => {
      const { whole } = await BackupFolder.list(nightly);
      return whole.length > 0 && whole;
    });
    const checked = await restored.command('restore', nightly, '--check');
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining(name)]);
    expect(cut).toEqual([expect.not.stringContaining(name)]);
    expect((await BackupFolder.list(nightly)).unfinished).toEqual([]);
    const line = `photo_service_backup_timestamp_seconds ${(timeOfBackup(name)?.getTime() ?? 0) / 1000}`;
    const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    await until('its time in the metrics', async () => (await metrics()).split('\n').includes(line));
  });

  it('complete the open import of the backup, and assign new ids', async () => {
    const again = new Client(restored.url, token);
    await again.post(`/imports/${waiting}/finalize`);
    await until('the import to end', async () => (await again.get(`/imports/${waiting}`)).body.status === 'completed');
    expect((await again.get(`/imports/${waiting}`)).body.counts).toMatchObject({ imported: 1 });
    const fresh = await bring(again, ['fresh']);
    // Numbers that the lost service may have given out are not given out again.
    expect(fresh.get('fresh')).toBeGreaterThan(1_000_000);
    await restored.stop();
    await collectGarbage(restored);
    await expectSound(restored, { graceSeconds: 0 });
  });

  it('refuse a database that is not empty', async () => {
    const { status, stderr } = await restored.command('restore', folder, '--identity', identityFile);
    expect([status, stderr]).toEqual([4, expect.stringContaining('The database is not empty')]);
  });
});

/** Runs a test on a changed file, and puts back what was there. */
async function changed(file: string, change: (bytes: Buffer) => Uint8Array, test: () => Promise<void>): Promise<void> {
  const before = readFileSync(file);
  writeFileSync(file, change(before));
  try {
    await test();
  } finally {
    writeFileSync(file, before);
  }
}
