import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { datedChangelog, laterThan, withVersion } from './release/versions.js';

// Makes a release out of a clean checkout: writes the version, the date in CHANGELOG.md, the documents and the changelog of the APIs, checks,
// packs (bin/packages.js), commits and tags. Nothing is sent anywhere: pushing the tag lets .github/workflows/release.yml publish.
//   npm run release -- X.Y.Z [--trial]      --trial: without the check, the commit and the tag
const root = join(import.meta.dirname, '..');
const [version = '', option] = process.argv.slice(2);
const isTrial = option === '--trial';
const manifests = ['.', 'sdk', 'uploader', 'cli', 'postgres'].map((folder) => join(folder, 'package.json'));

try {
  release();
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function release() {
  const { version: present } = JSON.parse(read('package.json'));
  if (option !== undefined && !isTrial) throw new Error(`${option} is no option`);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('name the version: npm run release -- X.Y.Z');
  if (version !== present && !laterThan(version, present)) throw new Error(`${version} is older than ${present}`);
  if (output('git', ['status', '--porcelain']) !== '') throw new Error('commit your changes first, or put them away');
  const tag = `v${version}`;
  if (output('git', ['tag', '--list', tag]) !== '') throw new Error(`${tag} has been released`);
  // The time of the sources, so that whoever builds them again gets the same bytes.
  process.env.SOURCE_DATE_EPOCH ??= output('git', ['log', '-1', '--format=%ct']);
  const day = new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString().slice(0, 10);

  const changelog = datedChangelog(read('CHANGELOG.md'), version, day);

  // Nothing is refused from here on.
  for (const file of [...manifests, 'package-lock.json']) write(file, withVersion(read(file), present, version));
  write('CHANGELOG.md', changelog);
  run('npm', ['run', 'openapi', '--', '--release']);
  run('npm', ['run', 'sdk:types']);
  run(process.execPath, ['bin/api-changelog.js']);
  if (!isTrial) {
    run('npm', ['run', 'check']);
    const [previous] = output('git', ['tag', '--list', 'v*', '--sort=-version:refname']).split('\n').filter(Boolean);
    if (previous !== undefined) run(process.execPath, ['bin/previous.js', previous]);
  }
  run(process.execPath, ['bin/packages.js']);
  if (isTrial) return;
  run('git', ['commit', '--quiet', '--all', '--message', `Release ${version}`]);
  run('git', ['tag', '--annotate', tag, '--message', `Photo Service ${version}`]);
  console.log(`Next: git push --follow-tags`);
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function write(file, text) {
  writeFileSync(join(root, file), text);
}

function output(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

function run(program, args) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}
