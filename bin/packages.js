import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installed } from './build/packages.js';

// Builds the program anew and packs what is published: the service, the client, the command line, the embedded Postgres. With them go
// the documents of both APIs, the list of components and the checksums of all. The same sources give the same bytes.
//   node bin/packages.js [FOLDER]           default: release/VERSION
//   node bin/packages.js --stage FOLDER     only what the package of the service is made of, out of what is built
const root = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const isStage = process.argv[2] === '--stage';
const target = resolve(process.argv[isStage ? 3 : 2] ?? join(root, 'release', manifest.version));
/** What of the project the installed service reads, or its guides refer to. */
const FILES = [
  ...['bin/phs.js', 'bin/photo-service.js', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docker', 'docs'],
  ...['examples', 'dist/program', 'dist/adapters/countries/register', 'dist/pages/assets', 'dist/site'],
  'dist/adapters/places/gazetteer',
];
/** What other programs import (docs/core.md). */
const LIBRARY = 'dist/library';

if (isStage) stageService(target);
else packAll();

function packAll() {
  // What was built before may have files that the sources no longer give.
  run(process.execPath, ['bin/build.js', '--types']);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const stage = mkdtempSync(join(tmpdir(), 'photo-service-'));
  try {
    stageService(stage);
    pack(stage);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  for (const workspace of manifest.workspaces) pack(join(root, workspace));
  for (const name of ['openapi.json', 'openapi-operator.json']) cpSync(join(root, name), join(target, name));
  writeFileSync(join(target, 'photo-service.cdx.json'), run(process.execPath, ['bin/sbom.js']));
  const sha256 = (name) => hash('sha256', readFileSync(join(target, name)));
  const names = readdirSync(target).sort();
  writeFileSync(join(target, 'SHA256SUMS'), names.map((name) => `${sha256(name)}  ${name}\n`).join(''));
  console.log(target);
}

/** The bundle and the packages that it loads: whoever installs the service does not get what it was built from. */
function stageService(folder) {
  // Code that V8 has compiled is of no use to another version of Node.
  const filter = (path) => path !== join(root, 'dist/program/compiled');
  // What other programs import is built with the declarations. An image has none of it.
  const files = existsSync(join(root, LIBRARY)) ? [...FILES, LIBRARY] : FILES;
  for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true, filter });
  const { dependencies, name, version, description, license, type, engines, exports } = manifest;
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'postgres', 'package.json'), 'utf8'));
  const needed = Object.fromEntries([...installed].sort().map((each) => [each, dependencies[each]]));
  const bin = { phs: 'bin/phs.js', 'photo-service': 'bin/photo-service.js' };
  const about = { name, version, description, license, type, engines, bin, exports };
  const own = { ...about, dependencies: needed, optionalDependencies };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
}

function pack(folder) {
  run('npm', ['pack', '--silent', '--pack-destination', target], folder);
}

/** @returns what it printed. */
function run(program, args, cwd = root) {
  const options = { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 };
  const { status, stdout, error } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
  return stdout;
}
