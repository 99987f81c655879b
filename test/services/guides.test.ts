import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { transformSync } from '@swc/core';
import { Client } from '../e2e/support/client.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { program } from './support/programs.js';

const root = join(__dirname, '../..');
const guides = [...readdirSync(join(root, 'docs/guides')).map((name) => join('docs/guides', name)), 'docs/webhooks.md'];

/** About making an installation: its lines are run on one of its own. */
const selfHosting = 'docs/guides/self-hosting.md';

/** What can be run, in the order of the page. `text` is what cannot: output, what is to be filled in, what needs the world outside. */
type Language = 'sh' | 'ts' | 'json' | 'text' | keyof typeof examples;

/** Other languages are quoted from examples, which test/services runs. */
const examples = { python: 'sign.py', php: 'sign.php', go: 'sign.go', ruby: 'sign.rb' } as const;
const example = (name: string) => readFileSync(join(root, 'examples/delivery', name), 'utf8');

interface Block {
  readonly language: Language;
  readonly code: string;
  readonly line: number;
}

function blocksOf(file: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number; code: string[] } | null = null;
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line)?.[1];
    if (open === null) {
      if (fence !== undefined) open = { language: fence, line: index + 1, code: [] };
    } else if (fence === undefined) open.code.push(line);
    else {
      blocks.push({ language: open.language as Language, line: open.line, code: open.code.join('\n') });
      open = null;
    }
  }
  return blocks;
}

let installation: Installation;
let folder: string;
let port: number;
let token: string;

beforeAll(async () => {
  program('curl', 'curl');
  installation = await Installation.make({ OPERATOR_API: 'on' });
  await installation.start();
  folder = mkdtempSync(join(tmpdir(), 'phs-guides-'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // What `npx phs` finds in the project's folder, without npm's second.
  mkdirSync(join(folder, 'bin'));
  const npx = join(folder, 'bin/npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, 'bin/phs.js')}" "$@"\n`);
  chmodSync(npx, 0o755);
  port = await freePort();
  token = await newToken();
});
afterAll(async () => {
  await installation?.remove();
  await rm(folder, { recursive: true, force: true });
});

/** One key for all guides: only somebody who reads them all within a minute needs more than the usual 30 writes. */
async function newToken(): Promise<string> {
  const order = ['--name', 'guides', '--scopes', 'all', '--write-limit', '300', '--json'];
  const made = await installation.operate('key', 'create', '--customer', '1', ...order);
  if (made.status !== 0) throw new Error(made.stderr);
  return JSON.parse(made.stdout).token;
}

/** The tag that README shares, of a customer who has two shares already. */
async function prepareShares(customer: number): Promise<void> {
  const about = ['--customer', String(customer)];
  const made = await installation.operate('key', 'create', ...about, '--name', 'shares', '--scopes', 'all', '--json');
  await new Client(installation.url, JSON.parse(made.stdout).token).post('/tags', { name: 'Paris' });
  for (const title of ['one', 'two'])
    await installation.operate('share', 'create', ...about, '--title', title, '--tag', 'Paris');
}

/** What a reader of the page has typed so far is there for the next block: variables stay. */
function bash(code: string, variables: string): string[] {
  const script = `set -a; [ -f "${variables}" ] && . "${variables}"; set -euo pipefail\n${code}\nexport -p > "${variables}"\n`;
  return ['bash', '-c', script];
}

function node(code: string, at: string): string[] {
  const { code: script } = transformSync(code, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } });
  writeFileSync(at, script);
  return [process.execPath, at];
}

/** What every shell has. */
const shell = () => ({ PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder });

/** What the guides ask their readers to have, or what the settings of their service are. */
const usual = () => ({
  PHOTO_SERVICE_URL: installation.url,
  PHOTO_SERVICE_TOKEN: token,
  DATA_DIR: installation.dataDir,
  PORT: String(port),
  WEBHOOK_SECRET: `whsec_${Buffer.from('a secret of the guides').toString('base64')}`,
});

async function run(
  [command = '', ...args]: string[],
  settings: Readonly<Record<string, string>> = usual(),
  cwd = folder,
): Promise<string> {
  const env = { ...shell(), ...settings };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ status: await ended, stdout, stderr }).toEqual({ status: 0, stdout, stderr });
  return stdout;
}

test('every guide exists, and README names it', () => {
  expect(guides.length).toBeGreaterThanOrEqual(9);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(guides.filter((guide) => !readme.includes(guide))).toEqual([]);
});

/** Blocks that need the world outside, or are run by other tests: a clone that is built, images, packages. */
const elsewhere = /^(npm|docker) /m;

test('no page outside the list has commands to run', () => {
  // What the last of them says is run by test/services/albums-recipe.test.ts.
  const run = [...guides, 'docs/operations.md', 'docs/recipes.md'];
  const others = readdirSync(join(root, 'docs')).map((name) => join('docs', name));
  const pages = others.filter((name) => name.endsWith('.md') && !run.includes(name));
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => blocksOf(page).some(({ language }) => language === 'sh'))).toEqual([]);
});

test('the commands that the first start prints work as pasted', async () => {
  const lines = installation.printed().split('\n');
  const pasted = lines.filter((line) => /^ {2}(export|curl|cmp) /.test(line)).map((line) => line.trim());
  expect(pasted).toHaveLength(9);
  const shown = await run(bash(pasted.join('\n'), join(folder, 'first.env')));
  expect(shown).toContain('"status":"completed"');
  expect(shown).toMatch(/identical\n$/);
});

// The numbers on the page are those of a new installation, which has imported three photos above, and gets the keys and shares below.
test('README and operations: their lines run from top to bottom', async () => {
  const home = join(folder, 'reader');
  for (const made of [home, join(home, 'Pictures')]) mkdirSync(made);
  const picture = (name: string) => join(root, 'test/fixtures/photos', name);
  cpSync(picture('nokia83-gps-offset.jpg'), join(home, 'Pictures/nokia.jpg'));
  cpSync(picture('rating-xmp.jpg'), join(home, 'a.jpg'));
  cpSync(picture('iphone7-gps.heic'), join(home, 'b.heic'));
  symlinkSync(installation.dataDir, join(home, 'data'));
  const settings = { HOME: home, DATA_DIR: installation.dataDir, PORT: String(port), WEBHOOK_ALLOW_PRIVATE: 'true' };
  const pages = ['README.md', 'docs/operations.md'].flatMap(blocksOf);
  const blocks = pages.filter(({ language, code }) => language === 'sh' && !elsewhere.test(code));
  expect(blocks.length).toBeGreaterThan(8);
  // Whoever imports with curl has not imported with phs before.
  const byPhs = ({ code }: Block) => code.includes('phs import');
  for (const { code, line } of [...blocks.filter((block) => !byPhs(block)), ...blocks.filter(byPhs)]) {
    // The service's first key and that of the guides are there.
    if (code.includes('phs key delete 7')) for (let n = 0; n < 4; n += 1) newToken();
    if (code.includes('phs key edit 8')) newToken();
    if (code.includes('phs share create')) await prepareShares(2);
    const local = code
      .replaceAll('http://127.0.0.1:3000', installation.url)
      .replaceAll('/imports/1/', '/imports/2/')
      .replace('/photos/1/', '/photos/4/')
      .replace('https://example.com', 'https://127.0.0.1');
    await run(bash(local, join(folder, 'readme.env')), settings, home).catch((error) => {
      throw new Error(`line ${line}, ${code}: ${error instanceof Error ? error.message : error}`);
    });
  }
  expect(readFileSync(join(home, 'a-again.jpg'))).toEqual(readFileSync(join(home, 'a.jpg')));
  expect(readdirSync(join(home, 'family'))).toEqual(['nokia.jpg']);
});

describe.each(guides.filter((guide) => guide !== selfHosting))('%s', (file) => {
  const name = String(/([a-z-]+)\.md$/.exec(file)?.[1]);
  const blocks = blocksOf(file);

  test('has blocks of known languages only', () => {
    const known = ['sh', 'ts', 'json', 'text', ...Object.keys(examples)];
    const others = blocks.filter(({ language }) => !known.includes(language));
    expect(others.map(({ line }) => line)).toEqual([]);
    expect(blocks.some(({ language }) => language === 'sh' || language === 'ts')).toBe(true);
  });

  // In one test: what a block leaves behind is what the next one begins with.
  test('has code that runs from top to bottom, and valid JSON', async () => {
    for (const { language, code, line } of blocks) {
      try {
        if (language === 'json') JSON.parse(code);
        if (language === 'sh') await run(bash(code, join(folder, `${name}.env`)));
        if (language === 'ts') await run(node(code, join(folder, `${name}-${line}.mjs`)));
      } catch (error) {
        throw new Error(`${file}, line ${line}: ${error instanceof Error ? error.message : error}`);
      }
    }
  });
});

test('the guide to delivery has its code from the examples', () => {
  const files = { ...examples, ts: 'sign.ts', sh: 'sign.sh' };
  const blocks = blocksOf('docs/guides/delivery.md').filter(({ language }) => language !== 'text');
  expect(blocks.map(({ language }) => language).sort()).toEqual(Object.keys(files).sort());
  for (const { language, code } of blocks) expect(example(files[language as keyof typeof files])).toContain(code);
});

test(`${selfHosting}: its lines run from top to bottom, in a shell that has no settings but its phs.env`, async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  // The only thing that is not as on the page: the folder of the data is this test's.
  const dataDir = join(folder, 'srv-photos');
  const [first = '', ...others] = blocksOf(selfHosting).flatMap(({ language, code }) =>
    language === 'sh' ? [code.replaceAll('/srv/photos', dataDir)] : [],
  );
  const variables = join(folder, 'self-hosting.env');
  await run(bash(first, variables), {}, home);
  const servicePort = await freePort();
  const service = spawn(process.execPath, [join(root, 'bin/phs.js'), 'serve'], {
    cwd: home,
    env: { ...shell(), PORT: String(servicePort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      let printed = '';
      service.once('close', () => reject(new Error(`the service ended: ${printed}`)));
      service.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        if (printed.includes('is ready at https://photos.example.com')) resolve();
      });
    });
    const settings = { PHOTO_SERVICE_URL: `http://127.0.0.1:${servicePort}` };
    const shown = [];
    for (const code of others) shown.push(await run(bash(code, variables), settings, home));
    expect(shown.join('\n')).toContain('Customer 2 "Studio North" created.');
    expect(readdirSync(home).sort()).toEqual(['backups', 'phs.env']);
    expect(readdirSync(dataDir)).toContain('pg18');
  } finally {
    const ended = new Promise((resolve) => service.once('close', resolve));
    service.kill('SIGINT');
    await ended;
  }
});
