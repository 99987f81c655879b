import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import begin, { end } from '../../services/support/run.mjs';

export const IMAGES = { whole: 'photo-service:tested', slim: 'photo-service:tested-slim' };

/** Before the first suite: both images, by whichever engine is there, and what tests of services need. */
export default function build(globalConfig, projectConfig) {
  const { rootDir } = projectConfig;
  const engine = engineOf(process.env.CONTAINER_ENGINE);
  const [base] = run(engine, ['image', 'ls', '-q', 'node:24-bookworm-slim']);
  if (!base && spawnSync(engine, ['pull', '-q', 'docker.io/library/node:24-bookworm-slim']).status !== 0)
    run(join(rootDir, 'test/image/support/base-image.sh'), [engine, 'node:24-bookworm-slim']);
  const file = join(rootDir, 'docker', 'Dockerfile');
  // Podman looks for the list of what is left out in the folder alone, and leaves out HEALTHCHECK by default.
  const ofPodman = ['--format', 'docker', '--ignorefile', `${file}.dockerignore`];
  const options = ['build', '-q', '-f', file, ...(engine.endsWith('podman') ? ofPodman : [])];
  run(engine, [...options, '--target', 'slim', '-t', IMAGES.slim, rootDir]);
  run(engine, [...options, '-t', IMAGES.whole, rootDir]);
  process.env.CONTAINER_ENGINE = engine;
  begin(globalConfig, projectConfig);
}

export { end };

function engineOf(wanted) {
  const engine = [wanted ?? [], 'docker', 'podman'].flat().find((name) => spawnSync(name, ['info']).status === 0);
  if (engine === undefined) throw new Error('These tests need Docker or Podman, running (apt-get install podman).');
  return engine;
}

/** @returns the lines that it printed. */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed: ${error ?? `${stdout}${stderr}`.slice(-4000)}`);
  return stdout.split('\n').filter(Boolean);
}
