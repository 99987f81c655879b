// Every benchmark, one after the other, and one table of what each printed. Takes most of an hour; needs wrk and nginx (Debian: apt-get
// install wrk nginx-light), and a machine that does nothing else.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './service.mjs';

const MORE = [
  ['bench:reads', ['PROCESSES=2']],
  ['bench:import', [], '10000'],
  ['bench:import', [], '200', '12'],
];
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const plain = Object.keys(scripts).filter((name) => name.startsWith('bench:') && name !== 'bench:all');

console.log('| benchmark | measured |\n|---|---|');
for (const [name, settings, ...args] of [...plain.map((each) => [each, []]), ...MORE]) {
  const env = { ...process.env, ...Object.fromEntries(settings.map((each) => each.split('='))) };
  const { stdout, status } = spawnSync('npm', ['run', '--silent', name, '--', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const title = [name, ...settings, ...args].join(' ');
  for (const line of stdout.split('\n').filter(Boolean)) console.log(`| ${title} | ${line.replaceAll('|', '\\|')} |`);
  if (status !== 0) process.exitCode = 1;
}
