// Runs a benchmark by its name, with its arguments:
//   npm run bench -- NAME [arguments]
// `all` runs every one, one after the other, and prints a table of what each printed. It takes most of an hour, and needs wrk and nginx (Debian:
// apt-get install wrk nginx-light) and a machine that does nothing else.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const files = {
  start: 'start.mjs',
  reads: 'reads.mjs',
  import: 'import.mjs',
  processes: 'processes.mjs',
  customers: 'customers.mjs',
  neighbours: 'neighbours.mjs',
  delivery: 'delivery.mjs',
  pages: 'pages.mjs',
  parsers: 'parsers.mjs',
  cost: 'cost.mjs',
  lists: 'scale/lists.mjs',
  migration: 'scale/migration.mjs',
};
const MORE = [
  { name: 'reads', settings: { PROCESSES: '2' } },
  { name: 'import', given: ['10000'] },
  { name: 'import', given: ['200', '12'] },
];

const [name, ...given] = process.argv.slice(2);
if (name === 'all') runAll();
else if (Object.hasOwn(files, name ?? '')) process.exitCode = run(name, given, { stdio: 'inherit' }).status ?? 1;
else {
  console.error(`There is no such benchmark: choose one of ${[...Object.keys(files), 'all'].join(', ')}.`);
  process.exitCode = 2;
}

function run(name, given, options) {
  const file = fileURLToPath(new URL(files[name], import.meta.url));
  return spawnSync(process.execPath, [file, ...given], options);
}

function runAll() {
  console.log('| benchmark | measured |\n|---|---|');
  for (const { name, settings = {}, given = [] } of [...Object.keys(files).map((each) => ({ name: each })), ...MORE]) {
    const env = { ...process.env, ...settings };
    const { stdout, status } = run(name, given, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const title = [name, ...Object.entries(settings).map((each) => each.join('=')), ...given].join(' ');
    for (const line of stdout.split('\n').filter(Boolean)) console.log(`| ${title} | ${line.replaceAll('|', '\\|')} |`);
    if (status !== 0) process.exitCode = 1;
  }
}
