import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORBIDDEN } from '../../src/adapters/media/isolation/seccomp-filter.js';
import { blobStores } from '../../src/composition/blob-stores.js';
import { settingNames } from '../../src/config/config.js';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

/** Of the service in docker/compose.yml, not of what it runs beside. */
function settingsOfCompose(): readonly string[] {
  const compose = read('docker/compose.yml');
  const shared = compose.slice(compose.indexOf('x-environment:'), compose.indexOf('\nservices:'));
  const own = [...compose.matchAll(/<<: \*environment\n((?: {6}.*\n)+)/g)].map(([, lines]) => lines);
  return [...`${shared}${own.join('')}`.matchAll(/^ +([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);
}

test('docker/compose.yml sets what the service reads, and docs/operations.md explains each', () => {
  const names = settingsOfCompose();
  expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'RATE_LIMIT_STORE', 'ROLE', 'WORKER_CONCURRENCY']));
  const operations = read('docs/operations.md');
  expect(settingNames(blobStores)).toEqual(expect.arrayContaining(names));
  expect(names.filter((name) => !operations.includes(`\`${name}\``))).toEqual([]);
});

test('the example has what docker/compose.yml reads from its .env', () => {
  const asked = new Set([...read('docker/compose.yml').matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name));
  const given = new Set([...read('docker/.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  expect(given).toEqual(asked);
});

describe('docker/Dockerfile', () => {
  const dockerfile = read('docker/Dockerfile');
  const context = read('docker/Dockerfile.dockerignore');
  const copied = [...dockerfile.matchAll(/^COPY --from=build (\S+) \S+$/gm)].map(([, path = '']) => path);
  const [, list = ''] = /const FILES = \[([\s\S]*?)\n\];/.exec(read('bin/packages.js')) ?? [];
  const packed = [...list.matchAll(/'([^']+)'/g)].map(([, file = '']) => file);

  test('has what is packed for npm, and of that every folder that the program reads at run time', () => {
    const guides = [...read('bin/docs/guides.ts').matchAll(/`(\w+)\/[\w/${}-]+\.md`/g)].map(([, folder]) => folder);
    expect(guides).toContain('docs');
    expect(packed).toEqual(
      expect.arrayContaining([...new Set(guides), 'bin/phs.js', 'dist/program', 'dist/site', 'examples']),
    );
    expect(dockerfile).toContain('node bin/packages.js --stage /service');
    expect(copied).toEqual(['/service', '/app/node_modules', '/database']);
  });

  test('lets into the build what is built from and packed, and no secret', () => {
    const sources = [...read('bin/build.js').matchAll(/join\(root, '([\w.-]+)'/g)].map(([, name = '']) => name);
    expect(sources).toContain('testing');
    const given = [...sources, ...packed.map((path) => path.replace(/\/.*/, ''))].filter(
      (path) => !['dist', 'node_modules'].includes(path),
    );
    expect(given.filter((path) => !context.includes(`!${path}\n`))).toEqual([]);
    expect(context.indexOf('docker/.env\n')).toBeGreaterThan(context.indexOf('!docker\n'));
  });

  test('installs the packages of every workspace before the sources are there', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    for (const folder of workspaces) {
      expect(dockerfile).toContain(`\nCOPY ${folder}/package.json ${folder}/\n`);
      expect(context).toContain(`!${folder}\n`);
    }
  });

  test('has a target without the embedded database, which docker/compose.yml uses, and one with it by default', () => {
    const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, from, name]) => [from, name]);
    const base = 'node:24-bookworm-slim';
    expect(stages).toEqual([
      [base, 'build'],
      [base, 'slim'],
      ['slim', undefined],
    ]);
    expect(read('docker/compose.yml')).toContain('target: slim\n');
  });
});

describe('the S3 store of docker/compose.yml', () => {
  const compose = read('docker/compose.yml');
  const blockOf = (service: string) => new RegExp(`\\n  ${service}:\\n((?: {4}.*\\n| *\\n)+)`).exec(compose)?.[1] ?? '';
  const images = [...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image);

  test('is one that is maintained, pinned to a release; so is every image that is not built here', () => {
    expect(images.filter((image) => /minio/.test(image))).toEqual([]);
    const others = images.filter((image) => image !== 'photo-service:slim');
    expect(others.filter((image) => !/:[0-9]+(\.[0-9]+)*$/.test(image))).toEqual([]);
    expect(blockOf('s3')).toMatch(/image: chrislusf\/seaweedfs:\d+\.\d+\n/);
    expect(blockOf('s3-bucket')).toContain(/image: \S+/.exec(blockOf('s3'))?.[0]);
  });

  test('listens where the service looks for it, with the keys that it has, and for S3 alone', () => {
    const endpoint = /S3_ENDPOINT: http:\/\/s3:(\d+)\n/.exec(compose)?.[1];
    const [store, bucket] = [blockOf('s3'), blockOf('s3-bucket')];
    expect(store).toContain(`"-s3.port=${endpoint}"`);
    // What of the store asks for no key is reached from inside its container only.
    expect(store).toContain('"-ip=127.0.0.1", "-s3.ip.bind=0.0.0.0"');
    expect(bucket).toContain(`http://s3:${endpoint}/photos`);
    expect(compose).toContain('S3_BUCKET: photos\n');
    for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) {
      for (const block of [store, bucket]) expect(block).toContain(`\${${name}:?`);
    }
  });
});

test('every answer of both proxies says that browsers come by TLS alone', () => {
  const policy = '"max-age=31536000"';
  expect(read('docker/haproxy.cfg')).toContain(`http-after-response set-header Strict-Transport-Security ${policy}`);
  const line = `add_header Strict-Transport-Security ${policy} always;`;
  const nginx = read('docker/nginx.conf');
  // Once for the server, and once for each location that adds headers of its own.
  const adding = nginx.split(/^ {4}location /m).filter((each) => each.includes('add_header'));
  expect(adding.filter((each) => !each.includes(line))).toEqual([]);
});

describe('the containers of docker/compose.yml', () => {
  const compose = read('docker/compose.yml');
  const service = compose.slice(compose.indexOf('x-service:'), compose.indexOf('x-environment:'));
  const blocks = compose
    .slice(compose.indexOf('\nservices:'), compose.indexOf('\nnetworks:'))
    .split(/\n(?= {2}[a-z0-9-]+:)/);

  test('of the service have a root that cannot be written to, no capability and no way to new privileges', () => {
    expect(service).toContain('\n  read_only: true\n');
    expect(service).toContain('\n  cap_drop: [ALL]\n');
    expect(service).toContain('"no-new-privileges:true", "seccomp=./seccomp.json"');
    expect(compose).not.toMatch(/privileged: true|cap_add|unconfined"/);
  });

  test('can write to /tmp and DATA_DIR alone', () => {
    const dataDir = /DATA_DIR=(\S+)/.exec(read('docker/Dockerfile'))?.[1];
    for (const name of ['api-1', 'api-2', 'worker']) {
      const block = blocks.find((each) => each.startsWith(`  ${name}:`)) ?? '';
      expect(block).toMatch(new RegExp(`volumes: \\["${name}:${dataDir}"\\]|tmpfs: \\[/tmp, "${dataDir}:`));
    }
    expect(service).toContain('tmpfs: [/tmp]');
  });

  test('have no way to new privileges, whatever runs in them', () => {
    const others = blocks.filter((each) => /\n {4}image:/.test(each));
    expect(others).toHaveLength(5);
    expect(others.filter((each) => !each.includes('"no-new-privileges:true"'))).toEqual([]);
  });
});

describe('docker/seccomp.json', () => {
  const profile = JSON.parse(read('docker/seccomp.json'));
  const refused: readonly string[] = profile.syscalls.flatMap(({ names }: { names: string[] }) => names);

  test('refuses what decoders are refused, but for what the service and the start of a sandbox need, and memory', () => {
    const ofService = ['socket', 'socketpair', 'connect', 'bind', 'listen', 'accept', 'accept4', 'fork', 'vfork'];
    const ofSandboxes = ['mount', 'umount2', 'pivot_root', 'unshare', 'execveat', 'pidfd_open'];
    // Decoders are refused them because their memory is watched; Postgres has some.
    const ofMemory = ['memfd_create', 'memfd_secret', 'shmget', 'semget', 'msgget', 'mq_open'];
    const allowed = Object.keys(FORBIDDEN).filter((name) => !refused.includes(name));
    expect(allowed.sort()).toEqual([...ofService, ...ofSandboxes, ...ofMemory].sort());
  });

  test('has an error for each, once, on every processor that the image is made for', () => {
    expect(new Set(refused).size).toBe(refused.length);
    const actions = profile.syscalls.map(({ action }: { action: string }) => action);
    expect(new Set(actions)).toEqual(new Set(['SCMP_ACT_ERRNO']));
    expect(profile.archMap.map(({ architecture }: { architecture: string }) => architecture)).toEqual([
      'SCMP_ARCH_X86_64',
      'SCMP_ARCH_AARCH64',
    ]);
  });
});
