import { randomBytes } from 'node:crypto';
import { ageEncryption, ephemeralKey } from '../../adapters/age/age-encryption.js';
import { VERSION } from '../../config/version.js';
import { backUpBlobs, EncryptedBlobFiles, PlainBlobFiles } from '../../core/backup/back-up-blobs.js';
import type { BlobFiles, Conversion, MissedBlob, NeededBlob } from '../../core/backup/blob-backup.js';
import type { ArchivedSchema } from '../../core/backup/database-snapshot.js';
import { backupKeys } from '../../core/backup/signature.js';
import type { OpenPorts } from '../../ports.module.js';
import { BackupFolder } from './backup-folder.js';
import { knownFiles, openBlobFiles } from './blob-folders.js';
import { SECRET } from './manifest.js';
import type { Part } from './part-file.js';

/** A store without its photos would report as many problems as there are photos. */
const MAX_LISTED = 1000;

export interface BackupPlan {
  readonly root: string;
  readonly parallel: number;
  /** Public keys of age; none: the backup is not encrypted. */
  readonly recipients: readonly string[];
  readonly withSecret: boolean;
}

export interface Backup {
  readonly name: string;
  readonly path: string;
  /** The public key of its signature. */
  readonly signedBy: string;
  readonly encrypted: boolean;
  readonly hasSecret: boolean;
  readonly rows: number;
  readonly copied: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly deleted: number;
  readonly problems: readonly MissedBlob[];
}

/**
 * Rows first, then the blobs that they refer to: blobs added to the store meanwhile do not belong to them, and deleted ones are recognized.
 */
export async function makeBackup(
  { ports, takeSnapshot }: Pick<OpenPorts, 'ports' | 'takeSnapshot'>,
  plan: BackupPlan,
): Promise<Backup> {
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
  const secret = withSecret ? await folder.writePart(SECRET, once(secretBytes), encrypt) : null;
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
  await backUpBlobs(
    ports,
    {
      from: ports.blobs,
      to: await filesOf(ports, plan, encrypt),
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

async function filesOf(
  { secrets }: OpenPorts['ports'],
  plan: BackupPlan,
  encrypt: Conversion | null,
): Promise<BlobFiles> {
  const store = await openBlobFiles(plan.root, plan);
  if (encrypt === null) return new PlainBlobFiles(store);
  const known = await knownFiles(plan.root, secrets, plan.recipients);
  return new EncryptedBlobFiles(store, known, encrypt, randomBytes(6).toString('hex'));
}

async function* once<T>(value: T): AsyncIterable<T> {
  yield value;
}
