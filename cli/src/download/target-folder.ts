import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, stat } from 'node:fs/promises';
import { makeFolder, removeStaleDrafts } from 'photo-service-sdk/node';
import { UsageError } from '../exit-codes.js';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to write there',
  EPERM: 'you have no permission to write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
};

/**
 * The folder that files are to come into, made where there is none, and without what killed runs have left in it.
 * @throws UsageError where it cannot be one.
 */
export async function openTargetFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await removeStaleDrafts(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFile = await stat(folder).then(
      (found) => !found.isDirectory(),
      (failure: NodeJS.ErrnoException) => failure.code === 'ENOTDIR',
    );
    const reason = isFile ? 'it is a file, or inside of one' : (reasons[code ?? ''] ?? `the system says ${code}`);
    throw new UsageError(`${folder} cannot be used as a folder: ${reason}. Choose another one.`);
  }
}

/** The kind of what is at a path. Links are not followed, and what is no file is not read: a pipe or a device might never end. */
export type Present = 'nothing' | 'something' | { readonly sha256: string };

export async function lookAt(path: string): Promise<Present> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null) return 'nothing';
  if (!found.isFile()) return 'something';
  const hash = createHash('sha256');
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    for await (const chunk of file.createReadStream()) hash.update(chunk);
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex') };
}
