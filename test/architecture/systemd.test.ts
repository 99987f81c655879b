import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const unit = read('docker/photo-service.service');
const guide = read('docs/guides/self-hosting.md');

/** Values of a setting, without those that are commented out. */
const all = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
const one = (name: string) => {
  expect(all(name)).toHaveLength(1);
  return all(name)[0] ?? '';
};

test('what is started is there, by the paths that the guide makes', () => {
  const [node, flag = '', script = '', option, file = '', command] = one('ExecStart').split(' ');
  expect([node, option, command]).toEqual(['/usr/bin/node', '--env-file', 'serve']);
  expect(JSON.parse(read('package.json')).scripts.start).toBe(`node ${flag} ${script} ${command}`);
  expect(read('docker/Dockerfile')).toContain(`\nCMD ["node", "${flag}", "${script}", "${command}"]\n`);
  expect(existsSync(join(__dirname, '../..', script))).toBe(true);
  expect(file).toBe('/etc/photo-service/phs.env');
  for (const path of [file, one('WorkingDirectory'), 'docker/photo-service.service']) expect(guide).toContain(path);
  expect(guide).toContain(`--system --home-dir ${one('WorkingDirectory')} --no-create-home`);
  expect(guide).toMatch(new RegExp(`useradd .* ${one('User')}\\n`));
});

test('the folder that can be written to is the DATA_DIR of the guide, and nothing in it is run', () => {
  const dataDir = `/var/lib/${one('StateDirectory')}`;
  expect(guide).toContain(`DATA_DIR=${dataDir}\n`);
  expect(one('NoExecPaths').split(' ')).toContain(dataDir);
  expect([one('StateDirectoryMode'), one('UMask'), one('ProtectSystem')]).toEqual(['0700', '0077', 'strict']);
});

test('the program has the time that it takes to stop, and is the only one that is told to', () => {
  const seconds = (name: string) => {
    const value = new RegExp(`const ${name} = ([0-9_]+);`).exec(read('src/start/serving/listener.ts'))?.[1] ?? '';
    return Number(value.replaceAll('_', '')) / 1000;
  };
  // Requests, then jobs, then once more jobs that were cut off.
  const longest = seconds('LINGER_MS') + 3 * seconds('DRAIN_MS');
  expect(longest).toBeGreaterThan(20);
  expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(longest);
  expect([one('KillMode'), one('KillSignal')]).toEqual(['mixed', 'SIGTERM']);
});

test('bubblewrap may make every namespace of --unshare-all, and what it sets them up with', () => {
  expect(read('src/adapters/media/isolation/isolation.ts')).toContain("'--unshare-all'");
  expect(one('RestrictNamespaces').split(' ').sort()).toEqual(['cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts']);
  const [allowed = '', refused = ''] = all('SystemCallFilter');
  expect(allowed.split(' ')).toEqual(expect.arrayContaining(['@system-service', 'mount', 'umount2', 'pivot_root']));
  expect(allowed.split(' ')).toContain('sethostname');
  expect(refused).toMatch(/^~/);
  expect(one('RestrictAddressFamilies').split(' ')).toEqual(['AF_UNIX', 'AF_INET', 'AF_INET6', 'AF_NETLINK']);
});

test('what would stop the program or its sandboxes is not set', () => {
  for (const name of [
    'MemoryDenyWriteExecute',
    'ProcSubset',
    'ProtectHostname',
    'PrivateUsers',
    'RemoveIPC',
    'PrivateIPC',
  ]) {
    expect([name, all(name)]).toEqual([name, []]);
    // The file says why.
    expect(unit).toMatch(new RegExp(`^# Not .*${name}=`, 'm'));
  }
});

test('the unit has no privilege, and no way to get one', () => {
  expect([one('CapabilityBoundingSet'), one('AmbientCapabilities'), one('NoNewPrivileges')]).toEqual(['', '', 'yes']);
  expect(one('OOMPolicy')).toBe('continue');
});
