import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts by mount(8). False where that is not permitted. End it with `unmount`. */
export function mounted(...args: readonly string[]): Promise<boolean> {
  return run('mount', [...args]).then(
    () => true,
    () => false,
  );
}

/** A small disk at this folder, in memory: `mounted`. */
export function mountedDisk(folder: string, size: string): Promise<boolean> {
  return mounted('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
}

export async function unmount(folder: string): Promise<void> {
  await run('umount', ['-l', folder]);
}
