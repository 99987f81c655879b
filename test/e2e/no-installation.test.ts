/* @slow @rest */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { ownCommands } from '../../src/cli/own-commands.js';
import { emptyDatabase, type TestDatabase, urlOf } from '../support/postgres.js';
import { brokenShapes, releasedCommands, SeenDocuments } from '../support/released-commands.js';
import type { CommandResult } from './support/operator.js';
import { Installation } from './support/service.js';

const PHS = join(__dirname, '../../bin/phs.js');
const RUN_LINES = join(__dirname, 'support/run-lines.mjs');
const someone = ['--customer', '1'];

/**
 * Every command of an operator, and its exit codes: in an empty folder, in a folder of something else, on an installation whose service
 * runs, on one whose service is stopped, and with a DATABASE_URL of a database that has nothing in it.
 */
const table: readonly (readonly [string, number, number, number, number, number])[] = [
  ['verify', 4, 4, 0, 0, 4],
  ['verify --repair --json', 4, 4, 0, 0, 4],
  ['backup backups', 4, 4, 0, 0, 4],
  ['gc', 4, 4, 0, 0, 4],
  ['blobs copy --to file://FOLDER/copy', 4, 4, 0, 0, 4],
  ['key list --customer 1', 4, 4, 0, 0, 4],
  ['customer create --name Studio', 4, 4, 0, 0, 4],
];

/** What else there is, which goes the same way as one of the above. */
const refused: readonly string[] = [
  'customer list',
  'customer suspend 1',
  'customer resume 1',
  'customer addresses 1',
  'customer addresses 1 --no-ip',
  'customer erase 1',
  'customer erase 1 --yes',
  'key create --customer 1 --name x --scopes all',
  'key edit 1 --name x',
  'key delete 1',
  'user invite --customer 1 --email a@example.com',
  'user link 1 --customer 1',
  'user list --customer 1',
  'user remove 1 --customer 1',
  'mail test a@example.com',
  'webhook create --customer 1 --url https://example.com',
  'webhook list --customer 1',
  'webhook delete 1 --customer 1',
  'webhook test 1 --customer 1',
  'webhook log 1 --customer 1',
  'webhook show 1 --customer 1',
  'webhook resend 1 --customer 1',
  'listen --customer 1 --forward-to http://127.0.0.1:9',
  'delivery-key create --customer 1 --name x',
  'delivery-key list --customer 1',
  'delivery-key edit dk_0000000000000000 --name x',
  'delivery-key delete dk_0000000000000000',
  'share create --customer 1 --title x --photos 1',
  'share list --customer 1',
  'share edit 1 --customer 1 --title x',
  'share revoke 1 --customer 1',
  'preset set card w=1 --customer 1',
  'preset list --customer 1',
  'preset delete card --customer 1',
  'operator-token create --name x --scopes all',
  'operator-token list',
  'operator-token log',
  'operator-token edit 1',
  'operator-token delete 1',
  'reload',
];

/** Make an installation where there is none, or only look whether one could be. */
const others = ['serve', 'migrate', 'restore', 'doctor', 'docs'];

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'phs-nowhere-'));
  folders.push(folder);
  return folder;
}

/** Runs a program of Node as a person does who stands in a folder, with these settings and no others. */
async function node(folder: string, args: readonly string[], settings: Record<string, string>): Promise<CommandResult> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...settings };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await ended, stdout, stderr };
}

function phs(folder: string, line: string, settings: Record<string, string> = {}): Promise<CommandResult> {
  return node(folder, [PHS, ...line.split(' ')], settings);
}

interface LineResult extends CommandResult {
  readonly line: string;
}

/** Runs the lines one after another, and says of each how it ended. */
async function eachLine(
  folder: string,
  lines: readonly string[],
  settings: Record<string, string> = {},
): Promise<readonly LineResult[]> {
  const args = lines.map((line) => line.replace('FOLDER', folder));
  const { stdout, stderr } = await node(folder, [RUN_LINES, ...args], settings);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

function everythingIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

function leavesOf(command: Command, path = ''): string[] {
  const name = `${path}${command.name()}`;
  return command.commands.length === 0
    ? [name]
    : command.commands.flatMap((child) => leavesOf(child as Command, `${name} `));
}

test('the table of commands has every command', () => {
  const tried = [...table.map(([line]) => line), ...refused, ...others];
  const leaves = ownCommands().flatMap((command) => leavesOf(command));
  expect(leaves.filter((leaf) => !tried.some((line) => `${line} `.startsWith(`${leaf} `)))).toEqual([]);
});

/** The lines of the table, and what a column says that they end with. */
const columns = [
  'empty folder',
  'other folder',
  'running service',
  'stopped service',
  'DATABASE_URL of nothing',
] as const;
function column(name: (typeof columns)[number]): { lines: readonly string[]; codes: readonly number[] } {
  const index = columns.indexOf(name);
  return { lines: table.map(([line]) => line), codes: table.map(([, ...codes]) => Number(codes[index])) };
}

function expectRefused(results: readonly LineResult[], codes: readonly number[], place: string): void {
  expect(results.map(({ line, status }) => [line, status])).toEqual(results.map(({ line }, at) => [line, codes[at]]));
  for (const { line, stdout, stderr } of results) {
    expect({ line, stderr }).toEqual({
      line,
      stderr: expect.stringContaining(`phs: there is no installation in ${place}`),
    });
    if (line.includes('--json')) expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'no_installation' } });
    else expect({ line, stdout }).toEqual({ line, stdout: '' });
  }
}

describe('F29: where there is no installation', () => {
  it('commands in an empty folder report this, end as the table says, and create nothing', async () => {
    const folder = newFolder();
    const { lines, codes } = column('empty folder');
    const results = await eachLine(folder, [...lines, ...refused]);
    expectRefused(results, [...codes, ...refused.map(() => 4)], join(folder, 'data'));
    expect(everythingIn(folder)).toEqual([]);
  });

  it('commands in a folder of something else do the same, and change nothing', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data', 'notes.txt'), 'mine');
    const { lines, codes } = column('other folder');
    expectRefused(await eachLine(folder, lines), codes, join(folder, 'data'));
    expect(everythingIn(folder)).toEqual(['data', join('data', 'notes.txt')]);
  });

  it('phs doctor says what it would find there, and makes nothing', async () => {
    const folder = newFolder();
    const { status, stdout } = await phs(folder, 'doctor --json');
    expect([0, 1]).toContain(status);
    expect(JSON.parse(stdout).findings).toContainEqual(expect.objectContaining({ check: 'database', level: 'ok' }));
    expect(everythingIn(folder)).toEqual([]);
  });

  it('phs migrate into a folder that cannot be made ends with 4, and ends', async () => {
    const [migrate] = await eachLine(newFolder(), ['migrate'], { DATA_DIR: '/proc/x/y' });
    expect(migrate).toMatchObject({ status: 4, stderr: expect.stringContaining('choose another DATA_DIR') });
  });

  it('phs restore of no backup makes nothing', async () => {
    const folder = newFolder();
    expect((await phs(folder, 'restore backups')).status).toBe(4);
    expect(everythingIn(folder)).toEqual([]);
  });
});

describe('F29: a DATABASE_URL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await emptyDatabase();
  });
  afterAll(() => database.close());

  it('of a database with nothing in it: commands end as the table says, and make nothing', async () => {
    const folder = newFolder();
    const url = urlOf(database);
    const { lines, codes } = column('DATABASE_URL of nothing');
    const results = await eachLine(folder, lines, { DATABASE_URL: url });
    expectRefused(results, codes, 'the database test_');
    expect(JSON.stringify(results)).not.toContain(new URL(url).password);
    expect(everythingIn(folder)).toEqual([]);
  });

  it('without an answering server ends with 4 and a plain sentence, without its password', async () => {
    const folder = newFolder();
    const settings = { DATABASE_URL: 'postgres://photos:secret-word@127.0.0.1:1/photos' };
    for (const { line, status, stderr } of await eachLine(
      folder,
      ['verify', 'blobs copy --to s3://photos'],
      settings,
    )) {
      expect({ line, status, stderr }).toEqual({
        line,
        status: 4,
        stderr: expect.stringMatching(/^phs: The database in DATABASE_URL, at 127\.0\.0\.1:1, is unavailable: .+\n$/),
      });
      expect(stderr).not.toContain('secret-word');
    }
    expect(everythingIn(folder)).toEqual([]);
  });

  it('of an installation whose files are in another folder is refused, before a new secret or store is made', async () => {
    const [home, elsewhere] = [newFolder(), newFolder()];
    const settings = { DATABASE_URL: urlOf(database) };
    expect((await phs(home, 'migrate', settings)).status).toBe(0);
    expect((await phs(home, 'key list --customer 1', settings)).status).toBe(2);
    const { status, stderr } = await phs(elsewhere, 'verify', settings);
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining('there is no installation in') });
    expect(everythingIn(elsewhere)).toEqual([]);
  });
});

describe('where there is an installation', () => {
  let folder: string;
  let installation: Installation;
  beforeAll(async () => {
    folder = newFolder();
    installation = await Installation.make();
    await installation.start();
  });
  afterAll(() => installation.remove());

  const documents = new SeenDocuments();
  const settings = () => ({ DATA_DIR: installation.dataDir });
  async function expectDone(name: 'running service' | 'stopped service'): Promise<void> {
    const { lines, codes } = column(name);
    const results = await eachLine(folder, lines, settings());
    expect(results).toEqual(lines.map((_, at) => expect.objectContaining({ status: codes[at] })));
    for (const { line, stdout, stderr } of results) {
      expect(stderr).toContain(`phs: acting on the installation in ${installation.dataDir}`);
      if (line.includes('--json')) documents.add(line.split(' '), JSON.parse(stdout));
    }
  }

  it('commands beside its service end as the table says, and say which installation they act on', async () => {
    await expectDone('running service');
  });

  it('a backup into a folder that cannot be made ends with 4, and ends', async () => {
    const [backup] = await eachLine(folder, ['backup /proc/x/y'], settings());
    expect(backup).toMatchObject({ status: 4, stderr: expect.stringContaining('ENOENT') });
  });

  it('commands end as the table says while the service is stopped', async () => {
    await installation.stop();
    await expectDone('stopped service');
  });

  it('documents of --json are those of the last release, or more', async () => {
    await installation.start();
    const lines = [
      'customer list',
      'customer suspend 1',
      'customer resume 1',
      'key create --customer 1 --name x --scopes all',
      'key edit 1 --name x',
      'key list --customer 1',
      'user invite --customer 1 --email a@example.com',
      'user list --customer 1',
      'webhook create --customer 1 --url https://1.1.1.1 --events import.expired',
      'webhook list --customer 1',
      'webhook log 1 --customer 1',
      'delivery-key create --customer 1 --name x',
      'delivery-key list --customer 1',
      'preset set card w=1 --customer 1',
      'preset list --customer 1',
      'share list --customer 1',
      'operator-token create --name x --scopes all',
      'operator-token list',
      'operator-token log',
      'gc',
      'photos frob',
    ].map((line) => `${line} --json`);
    for (const { line, stdout } of await eachLine(folder, lines, settings()))
      documents.add(line.split(' '), JSON.parse(stdout));
    const log = (await phs(installation.dataDir, 'operator-token log --limit 1', settings())).stdout.split('\n');
    expect(log[1]).toMatch(/^20\d\d-\S+Z +command line +operator_token\.created +\d+ "x"$/);
    await installation.stop();
    const { shapes } = documents;
    expect(Object.keys(shapes).length).toBeGreaterThan(15);
    expect(brokenShapes(releasedCommands('service-documents', shapes), shapes)).toEqual([]);
  });

  it('F30: phs.env is read by the service and by commands alike, in the data folder, in the folder itself, and where it is named', async () => {
    const secretKey = 'c'.repeat(40);
    const told = async (at: string, line: string, env: Record<string, string> = {}) =>
      (await phs(at, line, env)).stderr;
    const here = newFolder();
    const path = join(here, 'phs.env');
    writeFileSync(path, `DATA_DIR="${installation.dataDir}"\nSECRET_KEY=${secretKey}\nPROT=3001\n`);
    const stderr = await told(here, 'customer create --name Other');
    expect(stderr).toContain(`installation in ${installation.dataDir}`);
    expect(stderr).toContain(`settings from ${path}`);
    expect(stderr).toMatch(/PROT.*PORT/);
    expect(stderr).not.toContain(secretKey);
    expect(await told(tmpdir(), `--env-file ${path} gc`)).toContain(`installation in ${installation.dataDir}`);
    expect(await told(tmpdir(), `gc --env-file ${path}`)).toContain(`settings from ${path}`);
    // What the environment says itself counts more.
    expect((await phs(here, 'gc', { DATA_DIR: join(here, 'data') })).status).toBe(4);
    // Said by Node itself where it takes the option for its own.
    const { status, stderr: missing } = await phs(here, 'gc --env-file nothing.env');
    expect([status === 0, missing]).toEqual([false, expect.stringContaining('nothing.env')]);
    expect(readFileSync(path, 'utf8')).toContain(secretKey);

    const own = join(installation.dataDir, 'phs.env');
    writeFileSync(own, 'PORT=1\nPUBLIC_URL=https://photos.example.com\n');
    expect(await told(folder, 'gc', settings())).toContain(`settings from ${own}`);
    await installation.start();
    expect(installation.printed()).toContain('is ready at https://photos.example.com');
    const warned = await installation.commandWith(
      { DATABSE_URL: 'postgres://x:secret-word@y/z' },
      'key',
      'list',
      ...someone,
    );
    expect(warned.stderr).toMatch(/DATABSE_URL.*DATABASE_URL/);
    expect(warned.stderr).not.toContain('secret-word');
  });
});
