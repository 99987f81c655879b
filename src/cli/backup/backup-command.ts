import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { PartlyDone } from 'photo-service-cli/exit-codes';
import { print } from 'photo-service-cli/print';
import { ageEncryption, ephemeralKey } from '../../adapters/age/age-encryption.js';
import { VERSION } from '../../config/version.js';
import { backUpBlobs, EncryptedBlobFiles, PlainBlobFiles } from '../../core/backup/back-up-blobs.js';
import type { BackedUpBlob, Conversion, MissedBlob, NeededBlob } from '../../core/backup/blob-backup.js';
import type { ArchivedSchema } from '../../core/backup/database-snapshot.js';
import { backupKeys } from '../../core/backup/signature.js';
import type { BlobKey } from '../../core/blobs/blob-key.js';
import type { Secrets } from '../../core/shared/secrets.js';
import { counted } from '../../core/shared/text.js';
import type { OpenPorts } from '../../ports.module.js';
import { countOption, listOption, wholeOption } from '../options.js';
import { openInstallation, presentInstallation } from '../with-ports.js';
import { BackupFolder, openBlobFiles } from './backup-folder.js';
import { SECRET } from './manifest.js';
import type { Part } from './part-file.js';

export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'back up the database and the photos while the service runs; the next backup into the same folder adds only what is new',
    )
    .argument('<dir>', 'the folder for backups')
    .option('--recipient <keys>', 'encrypt it to these public keys of age (age1…)', listOption)
    .option('--with-secrets', 'include the secret key although the backup is not encrypted')
    .option(
      '--keep <n>',
      'delete what interrupted backups left in the folder and, afterwards, the oldest backups, so that this many are left',
      countOption,
    )
    .option('--parallel <n>', 'photos copied at the same time', wholeOption, 4)
    .action(async (dir: string, options: BackupOptions) => {
      const config = await presentInstallation();
      const recipients = options.recipient ?? [];
      // A key that the operator has put into the environment is not stored on a disk that they did not choose for it.
      const withSecret = config.secretKeys === null && (recipients.length > 0 || options.withSecrets === true);
      const open = await openInstallation(config, { create: false });
      try {
        const plan = { root: resolve(dir), parallel: Math.max(1, options.parallel), recipients, withSecret };
        const { keep } = options;
        const { made, removed } = await open.whileAlone(async () => {
          // Backups that are interrupted again and again, on a full disk for example, must not fill it further.
          if (keep !== undefined) await BackupFolder.removeUnfinished(plan.root);
          const made = await makeBackup(open, plan);
          return { made, removed: keep === undefined ? [] : await BackupFolder.keepNewest(plan.root, keep) };
        });
        const report = { ok: made.problems.length === 0, ...made, removed };
        const lines = linesAbout(made, config.secretKeys !== null);
        if (removed.length > 0) lines.push(`Deleted the older backups ${removed.join(', ')}.`);
        print(options, report, lines);
        if (made.problems.length > 0) throw new PartlyDone();
      } finally {
        await open.close();
      }
    });
}

interface BackupOptions {
  readonly parallel: number;
  readonly keep?: number;
  readonly recipient?: readonly string[];
  readonly withSecrets?: boolean;
  readonly json?: boolean;
}

function linesAbout(made: Awaited<ReturnType<typeof makeBackup>>, secretIsInEnvironment: boolean): string[] {
  const { rows, copied, unchanged, bytes, deleted, problems, signedBy } = made;
  return [
    `Backup ${made.name}: ${counted(rows, 'row')}, ${counted(copied, 'new file')} (${counted(bytes, 'byte')}), ${counted(unchanged, 'file')} already backed up.`,
    `Signed by ${signedBy}. Note this key: phs restore --signed-by compares it.`,
    ...(made.hasSecret || secretIsInEnvironment
      ? []
      : [
          'It does not contain the secret key, because it is not encrypted: --recipient encrypts it, --with-secrets includes the key anyway.',
        ]),
    ...(deleted > 0
      ? [
          `${counted(deleted, 'photo was', 'photos were')} permanently deleted during the backup; a restore leaves ${deleted === 1 ? 'it' : 'them'} out.`,
        ]
      : []),
    ...problems.map(
      ({ key, why, id, customerId }) => `${key} of photo ${id} (customer ${customerId}) is ${why}. See phs verify.`,
    ),
  ];
}

/** A store without its photos would report as many problems as there are photos. */
const MAX_LISTED = 1000;

export interface BackupPlan {
  readonly root: string;
  readonly parallel: number;
  /** Public keys of age; none: the backup is not encrypted. */
  readonly recipients: readonly string[];
  readonly withSecret: boolean;
}

/**
 * Rows first, then the blobs that they refer to: blobs added to the store meanwhile do not belong to them, and deleted ones are recognized.
 */
export async function makeBackup({ ports, takeSnapshot }: Pick<OpenPorts, 'ports' | 'takeSnapshot'>, plan: BackupPlan) {
  const { recipients, withSecret } = plan;
  const encrypt = recipients.length > 0 ? await ageEncryption(recipients) : null;
  const startedAt = ports.clock.now();
  const folder = await BackupFolder.begin(plan.root, startedAt);
  // The list of what is needed has the hashes of all photos, so it is not left behind in the clear even by a process that dies.
  const passing = await ephemeralKey();
  const { schema, tables, wanted } = await takeSnapshot(async (snapshot) => {
    const { tables: all } = await snapshot.schema();
    const parts: Record<string, Part> = {};
    for (const table of all)
      parts[table.name] = await folder.writePart(`${table.name}.copy.gz`, snapshot.rows(table), encrypt);
    const list = folder.openPart('wanted.jsonl.gz', passing.encrypt);
    for await (const blob of snapshot.neededBlobs()) await list.writeValue(blob);
    return { schema: (await snapshot.schema()) satisfies ArchivedSchema, tables: parts, wanted: await list.end() };
  });
  const needed = folder.readValues<NeededBlob>(wanted, passing.decrypt);
  const { problems, lists, blobBytes, ...counts } = await copyBlobs(ports, folder, plan, encrypt, needed);
  await folder.removePart(wanted);
  const secretBytes = new TextEncoder().encode(`${ports.secrets[0]}\n`);
  const secret = withSecret ? await folder.writePart(SECRET, Readable.from([secretBytes]), encrypt) : null;
  const [snapshotAt, finishedAt] = [startedAt.toISOString(), ports.clock.now().toISOString()];
  const about = { format: 2, version: VERSION, snapshotAt, finishedAt, recipients, secret } as const;
  await folder.finish({ ...about, schema, tables, blobBytes, ...lists }, ports.secrets);
  const rows = Object.values(tables).reduce((sum, { lines }) => sum + lines, 0);
  const [signedBy = ''] = backupKeys(ports.secrets);
  const kind = { signedBy, encrypted: encrypt !== null, hasSecret: withSecret };
  return { name: folder.name, path: `${plan.root}/${folder.name}`, ...kind, rows, ...counts, problems };
}

async function copyBlobs(
  ports: OpenPorts['ports'],
  folder: BackupFolder,
  plan: BackupPlan,
  encrypt: Conversion | null,
  needed: AsyncIterable<NeededBlob>,
) {
  const [kept, missed] = [folder.openPart('blobs.jsonl.gz', null), folder.openPart('missed.jsonl.gz', encrypt)];
  const count = { copied: 0, unchanged: 0, bytes: 0, blobBytes: 0, deleted: 0 };
  const problems: MissedBlob[] = [];
  const store = await openBlobFiles(plan.root, plan);
  const known = encrypt && (await knownFiles(plan.root, ports.secrets, plan.recipients));
  const to = known
    ? new EncryptedBlobFiles(store, known, encrypt, randomBytes(6).toString('hex'))
    : new PlainBlobFiles(store);
  await backUpBlobs(
    ports,
    {
      from: ports.blobs,
      to,
      parallel: plan.parallel,
      onBackedUp: (blob, isNew) => {
        count[isNew ? 'copied' : 'unchanged'] += 1;
        if (isNew) count.bytes += blob.sizeBytes;
        count.blobBytes += blob.sizeBytes;
        return kept.writeValue(blob);
      },
      onMissed: (blob) => {
        if (blob.why === 'deleted') count.deleted += 1;
        else if (problems.length < MAX_LISTED) problems.push(blob);
        return missed.writeValue(blob);
      },
    },
    needed,
  );
  return { ...count, problems, lists: { blobs: await kept.end(), missed: await missed.end() } };
}

/**
 * The encrypted files of earlier backups that were signed by this installation, and are encrypted to the same keys. A backup that is
 * altered, or signed by others, says nothing that may be relied on.
 */
async function knownFiles(
  root: string,
  secrets: Secrets,
  recipients: readonly string[],
): Promise<ReadonlyMap<BlobKey, BackedUpBlob>> {
  const [known, trusted] = [new Map<BlobKey, BackedUpBlob>(), backupKeys(secrets)];
  const isSame = (others: readonly string[]) =>
    others.length === recipients.length && others.every((each) => recipients.includes(each));
  for (const name of (await BackupFolder.list(root)).whole) {
    const folder = BackupFolder.at(root, name);
    try {
      const { manifest, signedBy } = await folder.manifest();
      if (!trusted.includes(signedBy) || !isSame(manifest.recipients)) continue;
      await folder.checkPart(manifest.blobs);
      for await (const blob of folder.readValues<BackedUpBlob>(manifest.blobs, null)) known.set(blob.key, blob);
    } catch (error) {
      console.error(`phs: warning: ${(error as Error).message} Its files are not used again.`);
    }
  }
  return known;
}
