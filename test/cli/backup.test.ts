import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { type BackupPlan, makeBackup } from '../../src/cli/backup/backup-command.js';
import { BackupFolder } from '../../src/cli/backup/backup-folder.js';
import { checkSigner, openEncryption, wrongBlobs } from '../../src/cli/backup/restore-command.js';
import { configOf } from '../../src/composition/blob-stores.js';
import type { Config } from '../../src/config/config.js';
import type { DatabaseSnapshot } from '../../src/core/backup/database-snapshot.js';
import { backupKeys } from '../../src/core/backup/signature.js';
import { storedKey } from '../../src/core/blobs/blob-key.js';
import { MINUTE } from '../../src/core/shared/clock.js';
import type { Secrets } from '../../src/core/shared/secrets.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';
import { until } from '../support/until.js';

const ROW = 'a customer with a name\n';

/** Rows of one table, and the blobs of the photos in memory. */
function snapshotOf({ database }: World): DatabaseSnapshot {
  return {
    schema: async () => ({ migrations: ['First1'], tables: [{ name: 'customers', columns: ['id'] }], sequences: {} }),
    async *rows() {
      yield new TextEncoder().encode(ROW);
    },
    async *neededBlobs() {
      for (const { customerId, id, blobKey, sha256 } of database.photos.all())
        yield { customerId, id, importId: null, key: storedKey(blobKey), sha256, later: null };
    },
  };
}

describe('A35: the files of a backup', () => {
  let root: string;
  let ports: World;
  let account: Account;
  let identity: string;
  let recipient: string;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'phs-backup-'));
    ports = world();
    account = await Account.open(ports);
    await account.addPhoto(picture('one.jpg'));
    identity = await generateX25519Identity();
    recipient = await identityToRecipient(identity);
    writeFileSync(join(root, 'identity.txt'), `# created: today\n${identity}\n`);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  async function backUp(plan: Partial<BackupPlan> = {}, secrets: Secrets = ports.secrets) {
    ports.clock.pass(MINUTE);
    const snapshot = snapshotOf(ports);
    const open = {
      ports: { ...ports, secrets },
      takeSnapshot: <T>(work: (taken: DatabaseSnapshot) => Promise<T>) => work(snapshot),
    };
    return makeBackup(open, { root, parallel: 2, recipients: [], withSecret: false, ...plan });
  }
  const encrypted = (secrets?: Secrets) => backUp({ recipients: [recipient], withSecret: true }, secrets);

  it('are kept for the newest backups, and one that was removed halfway does not count', async () => {
    const names = [];
    for (let count = 0; count < 4; count += 1) names.push((await backUp()).name);
    expect(await BackupFolder.keepNewest(root, 4)).toEqual([]);
    expect(await BackupFolder.keepNewest(root, 2)).toEqual(names.slice(0, 2));
    expect(await BackupFolder.list(root)).toEqual({ whole: names.slice(2), unfinished: [] });
    expect(await refusal(names[3] ?? '')).toBeNull();
    expect((await backUp()).copied).toBe(0);
  });

  it('are removed when an interrupted backup left them, and no others are', async () => {
    const { name } = await backUp();
    mkdirSync(join(root, '2026-01-01T00-00-00.000Z.unfinished'));
    writeFileSync(join(root, '2026-01-01T00-00-00.000Z.unfinished', 'photos.copy.gz'), 'half');
    const before = readdirSync(root).length;
    await BackupFolder.removeUnfinished(root);
    expect(readdirSync(root)).toHaveLength(before - 1);
    expect(await BackupFolder.list(root)).toEqual({ whole: [name], unfinished: [] });
    expect(await refusal(name)).toBeNull();
  });

  it('are no longer completed once their removal has begun', async () => {
    const { name } = await backUp();
    const { manifest } = await BackupFolder.at(root, name).manifest();
    const begun = await BackupFolder.begin(root, ports.clock.now());
    const folder = join(root, `${begun.name}.unfinished`);
    // So many that removing them takes longer than completing it.
    for (let count = 0; count < 2000; count += 1) writeFileSync(join(folder, `part-${count}`), '');
    const isTouched = () => !existsSync(folder) || readdirSync(folder).length < 2000;
    const removing = BackupFolder.removeUnfinished(root);
    await until(isTouched);
    await expect(begun.finish(manifest, ports.secrets)).rejects.toThrow('ENOENT');
    await removing;
    expect(await BackupFolder.list(root)).toEqual({ whole: [name], unfinished: [] });
  });

  /** What `phs restore --check` compares; the sentence of the refusal, or null. */
  async function refusal(name: string): Promise<string | null> {
    const folder = BackupFolder.at(root, name);
    try {
      const { manifest } = await folder.manifest();
      await folder.check(manifest);
      const wrong = await wrongBlobs(folder, manifest, 2);
      return wrong[0] ?? null;
    } catch (error) {
      return (error as Error).message;
    }
  }
  const files = (...folders: string[]) =>
    folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(root, folder, name))
        .filter((path) => statSync(path).isFile()),
    );

  for (const isEncrypted of [false, true]) {
    it(`are refused by name when one is altered, cut, missing or added: ${isEncrypted ? 'encrypted' : 'plain'}`, async () => {
      const { name } = await (isEncrypted ? encrypted() : backUp({ withSecret: true }));
      expect(await refusal(name)).toBeNull();
      const all = files(name, isEncrypted ? 'blobs.age' : 'blobs');
      expect(all).toHaveLength(7);
      for (const path of all) {
        const before = readFileSync(path);
        const middle = before.length >> 1;
        const changes: [string, Uint8Array | null][] = [
          ['altered', before.map((byte, at) => (at === middle ? byte ^ 1 : byte))],
          ['cut', before.subarray(0, -1)],
          ['missing', null],
        ];
        for (const [what, bytes] of changes) {
          if (bytes === null) renameSync(path, `${root}/away`);
          else writeFileSync(path, bytes);
          // A signature that does not fit says no more than that one of the two was altered.
          const named = path.endsWith('manifest.sig') ? dirname(path) : path;
          expect([path, what, await refusal(name)]).toEqual([path, what, expect.stringContaining(named)]);
          if (bytes === null) renameSync(`${root}/away`, path);
          else writeFileSync(path, before);
        }
      }
      expect(await refusal(name)).toBeNull();
      writeFileSync(join(root, name, 'more.copy.gz'), 'more');
      expect(await refusal(name)).toContain(`${join(root, name, 'more.copy.gz')} is not part of the backup`);
    });
  }

  it('hold nothing in the clear when encrypted, and open with the identity alone', async () => {
    const { name } = await encrypted();
    const secrets = [ROW.trim(), ports.secrets[0], Buffer.from(picture('one.jpg').bytes)];
    for (const path of files(name, 'blobs.age'))
      for (const secret of secrets) expect([path, readFileSync(path).includes(secret)]).toEqual([path, false]);
    expect(existsSync(join(root, 'blobs'))).toBe(false);
    const folder = BackupFolder.at(root, name);
    const { manifest } = await folder.manifest();
    await expect(openEncryption(folder, manifest, undefined)).rejects.toThrow(`encrypted to ${recipient}`);
    writeFileSync(join(root, 'other.txt'), await generateX25519Identity());
    await expect(openEncryption(folder, manifest, join(root, 'other.txt'))).rejects.toThrow('has no identity of');
    const decrypt = await openEncryption(folder, manifest, join(root, 'identity.txt'));
    expect(await folder.readText(present(manifest.tables['customers']), decrypt)).toBe(ROW.trim());
    expect(await folder.readText(present(manifest.secret), decrypt)).toBe(ports.secrets[0]);
  });

  it('hold the secret in the clear only when it was asked for', async () => {
    const { name } = await backUp();
    expect(readdirSync(join(root, name))).not.toContain('secret-key');
    const second = await backUp({ withSecret: true });
    expect(statSync(join(root, second.name, 'secret-key')).mode & 0o777).toBe(0o600);
  });

  it('are used again by later backups, but not when others could have made them', async () => {
    const first = await encrypted();
    await account.addPhoto(picture('two.jpg'));
    expect(await encrypted()).toMatchObject({ copied: 1, unchanged: 1 });
    const own = files('blobs.age').length;
    // Another key signs: what it finds is not known to be right, and is left as it is.
    expect(await encrypted(['another secret of 32 characters.'])).toMatchObject({ copied: 2, unchanged: 0 });
    expect(files('blobs.age')).toHaveLength(own + 2);
    expect(await refusal(first.name)).toBeNull();
    const other = await identityToRecipient(await generateX25519Identity());
    expect(await backUp({ recipients: [other] })).toMatchObject({ copied: 2, unchanged: 0 });
    expect(await backUp({ recipients: [recipient] })).toMatchObject({ copied: 0, unchanged: 2 });
  });

  it('are refused without their signature, in whatever form', async () => {
    const { name } = await backUp({ withSecret: true });
    const path = join(root, name, 'manifest.json');
    rmSync(join(root, name, 'manifest.sig'));
    expect(await refusal(name)).toContain('manifest.sig is missing');
    // As backups were before there were signatures.
    const { secret: _, recipients: __, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, format: 1, hasSecret: true }));
    expect(await refusal(name)).toContain('made by a version before 0.1.0');
  });

  it('are named by paths that do not lead out of the folder', async () => {
    const { name } = await backUp();
    const { manifest } = await BackupFolder.at(root, name).manifest();
    const outside = { ...manifest, secret: { ...manifest.blobs, file: '../identity.txt' } };
    await expect(BackupFolder.at(root, name).check(outside)).rejects.toThrow('names ../identity.txt');
  });
});

describe('the signer of a backup', () => {
  const secret = 's'.repeat(32);
  const [own = '', other = ''] = [...backupKeys([secret]), ...backupKeys(['o'.repeat(32)])];
  const knowing: Config = configOf({ SECRET_KEY: secret });
  const nothing: Config = configOf({ DATA_DIR: join(tmpdir(), 'no such folder') });

  it('is the key that the operator names', async () => {
    expect(await checkSigner(nothing, own, own)).toContain('as expected');
    await expect(checkSigner(knowing, own, other)).rejects.toThrow(`signed by ${own}, not by ${other}`);
  });

  it('is otherwise the installation, if its secret is there', async () => {
    expect(await checkSigner(knowing, own, undefined)).toContain('the key of this installation');
    await expect(checkSigner(knowing, other, undefined)).rejects.toThrow('not by the key of this installation');
  });

  it('is reported as unknown where nothing is known', async () => {
    expect(await checkSigner(nothing, other, undefined)).toContain(`Signed by ${other}. Compare it`);
  });
});
