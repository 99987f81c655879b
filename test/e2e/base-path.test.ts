/* @rest */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Front } from '../sdk/support/front.js';
import { McpSession } from './support/mcp-session.js';
import { Installation } from './support/service.js';

const PHS = join(__dirname, '../../cli/dist/phs.js');
const home = mkdtempSync(join(tmpdir(), 'phs-base-path-'));
const env = { PATH: process.env['PATH'], HOME: home };

let installation: Installation;
let front: Front;
let url: string;

beforeAll(async () => {
  front = await Front.open();
  url = `${front.url}/photos`;
  installation = await Installation.make({ PUBLIC_URL: `${url}/` });
  front.leadTo(installation.url);
  await installation.start();
});
afterAll(async () => {
  await installation.remove();
  await front.close();
  rmSync(home, { recursive: true, force: true });
});

async function phs(...args: string[]) {
  const child = spawn(process.execPath, [PHS, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status !== 0) throw new Error(`phs ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

test('phs logs in, imports, lists, downloads and serves agents at an address with a path', async () => {
  expect(installation.link()).toContain(`${url}/settings/enter/`);
  await phs('login', '--url', `${url}/`, '--token', installation.token() ?? 'none');
  const login = JSON.parse(readFileSync(join(home, '.config/photo-service/login.json'), 'utf8'));
  expect(login.url).toBe(url);
  const fixture = join(__dirname, '../fixtures/photos/cyclamen.jpg');
  mkdirSync(join(home, 'photos'));
  cpSync(fixture, join(home, 'photos/cyclamen.jpg'));
  expect(await phs('import', join(home, 'photos'))).toMatchObject({ imported: 1 });
  const [photo] = (await phs('photos', 'list')).photos;
  await phs('download', String(photo.id), '--to', join(home, 'out'));
  expect(readFileSync(join(home, 'out/cyclamen.jpg')).equals(readFileSync(fixture))).toBe(true);
  const agent = new McpSession(PHS, [], env);
  await agent.open();
  expect((await agent.call('search_photos')).data.photos).toMatchObject([{ id: photo.id }]);
  await agent.call('look_at_photos', { ids: [photo.id] });
  expect(await agent.close()).toEqual({ status: 0, stderr: '' });
  expect(front.seen.filter(({ path }) => !path.startsWith('/photos/'))).toEqual([]);
  expect(front.seen.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^\/photos\/uploads\//));
});
