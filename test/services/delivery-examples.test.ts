import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { PhotoService } from '../../sdk/src/entry.js';
import { importFiles } from '../../sdk/src/node/entry.js';
import { Installation } from '../e2e/support/service.js';
import { deliveryVectors, vectorKey } from '../support/delivery-vectors.js';
import { present } from '../support/tenant.js';
import { newDeliveryKey } from './support/delivery-key.js';
import { program } from './support/programs.js';

// The Go compiler translates its standard library first.
jest.setTimeout(600_000);

const folder = join(__dirname, '../../examples/delivery');
const guide = readFileSync(join(__dirname, '../../docs/guides/delivery.md'), 'utf8');
/** Where Go stores what it has translated. */
const home = mkdtempSync(join(tmpdir(), 'phs-sign-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const languages = {
  // As Node itself reads TypeScript from version 22.18 on. Its types are checked with those of the program.
  'sign.ts': () => [process.execPath, '--import', join(__dirname, '../../bin/typescript.js')],
  'sign.py': () => [program('python3', 'python3')],
  'sign.php': () => [program('php', 'php-cli')],
  'sign.rb': () => [program('ruby', 'ruby')],
  'sign.go': () => [program('go', 'golang-go'), 'run'],
  'sign.sh': () => [program('openssl', 'openssl') && program('sh', 'dash')],
};
const examples = Object.keys(languages) as readonly (keyof typeof languages)[];

const vectors = { url: 'https://photos.example.com', ...vectorKey };

async function sign(
  example: keyof typeof languages,
  args: readonly string[],
  { url, keyId, secret } = vectors,
): Promise<string> {
  const [command = '', ...before] = languages[example]();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PHOTO_SERVICE_URL: url,
    DELIVERY_KEY: keyId,
    DELIVERY_SECRET: secret,
  };
  const child = spawn(command, [...before, join(folder, example), ...args], { env, cwd: home });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ status: await ended, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.trimEnd();
}

test('each example of delivery is run by these tests', () => {
  expect([...examples].sort()).toEqual(readdirSync(folder).sort());
});

test.each(examples)('%s signs the test vectors', async (example) => {
  for (const { photoId, options, exp, signed, signature } of deliveryVectors) {
    const address = await sign(example, [String(photoId), options, ...(exp === null ? [] : [String(exp)])]);
    expect(address).toBe(`https://photos.example.com${signed}${exp === null ? '?' : '&'}sig=${signature}`);
  }
});

test('a running service shows the image whose URL an example signs, and no other', async () => {
  const installation = await Installation.make();
  try {
    await installation.start();
    const client = new PhotoService({ baseUrl: installation.url, token: present(installation.token()) });
    await importFiles(client, [join(__dirname, '../../examples/photos/rocks.jpg')]);
    const [photo] = await client.photos.list().toArray();
    const key = { url: installation.url, ...(await newDeliveryKey(installation)) };
    const inAnHour = String(Math.floor(Date.now() / 1000) + 3600);
    for (const example of examples) {
      const address = await sign(example, [String(photo?.id), 'w=64,f=webp', inAnHour], key);
      const answer = await fetch(address);
      expect([example, answer.status, answer.headers.get('content-type')]).toEqual([example, 200, 'image/webp']);
      expect((await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).width).toBe(64);
      expect((await fetch(address.replace('w=64', 'w=65'))).status).toBe(403);
    }
  } finally {
    await installation.remove();
  }
});

test('the guide to delivery has the same vectors', () => {
  for (const { signed, signature } of deliveryVectors) expect(guide).toContain(`| \`${signed}\` | \`${signature}\` |`);
  expect(guide).toContain(vectorKey.secret);
});
