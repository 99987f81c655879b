import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { program } from './support/programs.js';

function promtool(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program('promtool', 'prometheus'), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}

test('Prometheus accepts the alert rules', () => {
  promtool('check', 'rules', join(__dirname, '../../docker/alerts.yml'));
});

test('the alert rules fire when they should, and not before', () => {
  promtool('test', 'rules', join(__dirname, 'support/alerts.test.yml'));
});
