import { join } from 'node:path';
import { openBlobFolder } from '../../composition/open-blobs.js';
import type { BackedUpBlob } from '../../core/backup/blob-backup.js';
import { backupKeys } from '../../core/backup/signature.js';
import type { BlobKey } from '../../core/blobs/blob-key.js';
import type { BlobStore } from '../../core/blobs/blob-store.js';
import type { Secrets } from '../../core/shared/secrets.js';
import { BackupFolder } from './backup-folder.js';
import type { Manifest } from './manifest.js';

/** Beside the backups: the blobs of all of them. Plain and encrypted files are apart, so that either kind can be deleted. */
export const blobFolders = { plain: 'blobs', encrypted: 'blobs.age' } as const;

export function openBlobFiles(root: string, { recipients }: Pick<Manifest, 'recipients'>): Promise<BlobStore> {
  return openBlobFolder(join(root, recipients.length > 0 ? blobFolders.encrypted : blobFolders.plain));
}

/**
 * The encrypted files of earlier backups that were signed by this installation, and are encrypted to the same keys. A backup that is
 * altered, or signed by others, says nothing that may be relied on.
 */
export async function knownFiles(
  root: string,
  secrets: Secrets,
  recipients: readonly string[],
): Promise<ReadonlyMap<BlobKey, BackedUpBlob>> {
  const [known, trusted] = [new Map<BlobKey, BackedUpBlob>(), backupKeys(secrets)];
  for (const name of (await BackupFolder.list(root)).whole) {
    const folder = BackupFolder.at(root, name);
    try {
      const { manifest, signedBy } = await folder.manifest();
      if (signedBy === null || !trusted.includes(signedBy) || !isSame(manifest.recipients, recipients)) continue;
      await folder.checkPart(manifest.blobs);
      for await (const blob of folder.readValues<BackedUpBlob>(manifest.blobs, null)) known.set(blob.key, blob);
    } catch (error) {
      console.error(`phs: warning: ${(error as Error).message} Its files are not used again.`);
    }
  }
  return known;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}
