import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';
import { program } from './support/programs.js';

// The Go compiler translates its standard library first.
jest.setTimeout(600_000);

const folder = join(__dirname, '../../examples/delivery');
const guide = readFileSync(join(__dirname, '../../docs/guides/delivery.md'), 'utf8');
/** Where Go stores what it has translated. */
const home = mkdtempSync(join(tmpdir(), 'phs-sign-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const languages = {
  'sign.mjs': () => [process.execPath],
  'sign.py': () => [program('python3', 'python3')],
  'sign.php': () => [program('php', 'php-cli')],
  'sign.rb': () => [program('ruby', 'ruby')],
  'sign.go': () => [program('go', 'golang-go'), 'run'],
  'sign.sh': () => [program('openssl', 'openssl') && program('sh', 'dash')],
};
const examples = Object.keys(languages) as readonly (keyof typeof languages)[];

async function sign(example: keyof typeof languages, args: readonly string[]): Promise<string> {
  const [command = '', ...before] = languages[example]();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PHOTO_SERVICE_URL: 'https://photos.example.com',
    DELIVERY_KEY: vectorKey.keyId,
    DELIVERY_SECRET: vectorKey.secret,
  };
  const child = spawn(command, [...before, join(folder, example), ...args], { env, cwd: home });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ status: await ended, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd();
}

test('each example is run here', () => {
  expect([...examples].sort()).toEqual(readdirSync(folder).sort());
});

test.each(examples)('%s signs the test vectors', async (example) => {
  for (const { photoId, options, exp, signed, signature } of deliveryVectors) {
    const address = await sign(example, [String(photoId), options, ...(exp === null ? [] : [String(exp)])]);
    expect(address).toBe(`https://photos.example.com${signed}${exp === null ? '?' : '&'}sig=${signature}`);
  }
});

test('the guide has the same vectors', () => {
  for (const { signed, signature } of deliveryVectors) expect(guide).toContain(`| \`${signed}\` | \`${signature}\` |`);
  expect(guide).toContain(vectorKey.secret);
});
