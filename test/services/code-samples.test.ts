import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openApiDocument, operatorOpenApiDocument } from '../../bin/docs/openapi/apis.js';
import { imageUrl } from '../../sdk/src/node/entry.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type RunningApp, startApp } from '../api/support/start-app.js';
import { program } from './support/programs.js';

// The Go compiler translates its standard library first.
jest.setTimeout(600_000);

const FILE = 'DSC_3701.jpg';
const root = join(__dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'phs-samples-'));
let app: RunningApp;

beforeAll(async () => {
  app = await startApp({ operatorApi: true });
});
afterAll(async () => {
  await app?.close();
  rmSync(home, { recursive: true, force: true });
});

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly schema: { readonly examples?: readonly unknown[] };
  }[];
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
}

const operations = [openApiDocument('0.0.0'), operatorOpenApiDocument('0.0.0')].flatMap(({ paths }) =>
  Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[]),
);

/** What ends something comes after all that needs it. */
const endings = ['finalizeImport', 'deletePhoto', 'deleteTag', 'deleteKey', 'removePerson', 'deleteWebhook'];
const last = [...endings, 'suspendCustomer', 'resumeCustomer', 'eraseCustomer'];
const inOrder = [...operations].sort((a, b) => last.indexOf(a.operationId) - last.indexOf(b.operationId));

/** How each language runs all samples in one process, which prints the name of each that succeeded. @returns command and arguments */
const languages: Readonly<Record<string, (folder: string, samples: readonly Sample[]) => readonly string[]>> = {
  curl(folder, samples) {
    const lines = samples.map(({ name, source }) => `( set -e\n${source} >/dev/null\n) && echo "${name}"`);
    writeFileSync(join(folder, 'all.sh'), lines.join('\n'));
    return [program('bash', 'bash'), join(folder, 'all.sh')];
  },
  TypeScript(folder, samples) {
    for (const { name, source } of samples) writeFileSync(join(folder, `${name}.mjs`), source);
    const lines = samples.map(
      ({ name }) => `await import('./${name}.mjs').then(() => console.log('${name}'), console.error);`,
    );
    writeFileSync(join(folder, 'all.mjs'), lines.join('\n'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    return [process.execPath, join(folder, 'all.mjs')];
  },
  Python(folder, samples) {
    const run = 'import json, sys, traceback\nfor name, source in json.load(open("all.json")):\n    try:\n';
    const one = '        exec(source, {})\n        print(name)\n    except Exception:\n        traceback.print_exc()\n';
    writeFileSync(join(folder, 'all.py'), `${run}${one}`);
    writeFileSync(join(folder, 'all.json'), JSON.stringify(samples.map(({ name, source }) => [name, source])));
    return [program('python3', 'python3'), join(folder, 'all.py')];
  },
  PHP(folder, samples) {
    const run = '<?php foreach (json_decode(file_get_contents("all.json")) as [$name, $source]) {\n';
    const one =
      '  try { (function () use ($source) { eval($source); })(); echo "\\n$name\\n"; } catch (Throwable $e) { fwrite(STDERR, "$name: $e"); }\n}';
    writeFileSync(join(folder, 'all.php'), `${run}${one}`);
    const sources = samples.map(({ name, source }) => [name, source.replace('<?php\n', '')]);
    writeFileSync(join(folder, 'all.json'), JSON.stringify(sources));
    return [program('php', 'php-cli'), join(folder, 'all.php')];
  },
  Go(folder, samples) {
    const imports = new Set(samples.flatMap(({ source }) => source.match(/^\t"[\w/]+"$/gm) ?? []));
    const functions = samples.map(({ name, source }) =>
      source.slice(source.indexOf('func main()')).replace('main', name),
    );
    // Each calls log.Fatal where it fails: what ran before it has been printed.
    const calls = samples.map(({ name }) => `\t${name}()\n\tfmt.Println("\\n${name}")`);
    const file = ['package main', 'import (', ...imports, ')', ...functions, 'func main() {', ...calls, '}'].join('\n');
    writeFileSync(join(folder, 'all.go'), file);
    return [program('go', 'golang-go'), 'run', join(folder, 'all.go')];
  },
  Ruby(folder, samples) {
    const run =
      'require "json"\nJSON.parse(File.read("all.json")).each do |name, source|\n  eval(source, binding)\n  puts name\n';
    writeFileSync(
      join(folder, 'all.rb'),
      `${run}rescue StandardError => e\n  warn "#{name}: #{e.full_message}"\nend\n`,
    );
    writeFileSync(join(folder, 'all.json'), JSON.stringify(samples.map(({ name, source }) => [name, source])));
    return [program('ruby', 'ruby'), join(folder, 'all.rb')];
  },
};

interface Sample {
  readonly name: string;
  readonly source: string;
}

/** An account with one of everything, for each language its own; and what the samples call these things in their examples. */
async function arrange(language: string, folder: string) {
  const actor = await app.customer('ACME');
  const { customerId } = actor;
  const operator = await app.operator({ scopes: ['customers:read', 'customers:write', 'keys:write', 'people:write'] });
  const photoFile = { filename: 'a.jpg', content: picture(`photo of ${language}`) };
  const [photo] = await importPhotos(app, actor, [photoFile]);
  const tag = (await actor.post('/tags', { name: 'Night' })).body;
  const bytes = picture(`sent by ${language}`);
  writeFileSync(join(folder, FILE), bytes);
  const { id: importId } = (await actor.post('/imports')).body;
  const files = ['edited', 'put', 'continued'].map((name) => ({ filename: `${name}.jpg`, sizeBytes: bytes.length }));
  const { data } = (await actor.post(`/imports/${importId}/photos`, { photos: files })).body;
  const [edited, put, continued] = data.map(
    ({ photo: item }: { photo: { id: number; upload: { url: string } } }) => item,
  );
  const tokenOf = (url: string) => new URL(url).pathname.replace(/^\/\w+\//, '');
  const { urls } = (await actor.get(`/photos/${photo.id}?include=urls`)).body;
  const named = { name: 'site', presetsOnly: false, expiresAt: null };
  const key = await createDeliveryKey(app.ports, { customerId, actor: commandLine }, named);
  const options = { width: 640, height: 480, fit: 'cover' } as const;
  const signed = new URL(
    imageUrl({ publicUrl: app.url, keyId: key.key.publicId, secret: key.secret, photoId: photo.id, options }),
  );
  const at = `/customers/${customerId}`;
  const keyId = (await operator.post(`${at}/keys`, { name: 'other', scopes: ['photos:read'] })).body.id;
  const personId = (await operator.post(`${at}/people`, { email: `${language}@example.com`, role: 'viewer' })).body
    .person.id;
  const webhookId = (await operator.post(`${at}/webhooks`, { url: 'https://example.com/hooks' })).body.id;
  const ids = { photo: photo.id, tag: tag.id, import: importId };
  const own = (id: string): Readonly<Record<string, unknown>> => ({
    id: ids[/(photo|tag|import)/i.exec(id)?.[1]?.toLowerCase() as keyof typeof ids],
    photoId: id === 'updateImportPhoto' ? edited.id : photo.id,
    token: tokenOf(id === 'showRendition' ? urls.thumb : (id === 'uploadBytes' ? put : continued).upload.url),
    deliveryKeyId: key.key.publicId,
    sig: signed.searchParams.get('sig'),
    ...{ customerId, keyId, personId, webhookId },
  });
  return { actor, operator, own };
}

/** With these values in the place of the examples. Whole words, all at once: an id may be part of another number, or its value another's example. */
function withValues(source: string, values: ReadonlyMap<string, string>): string {
  const examples = [...values.keys()].map((example) => example.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (examples.length === 0) return source;
  return source.replace(
    new RegExp(`(?<![\\w.-])(${examples.join('|')})(?![\\w.-])`, 'g'),
    (word) => values.get(word) ?? word,
  );
}

test.each(Object.keys(languages))('every operation can be called with its code in %s', async (language) => {
  const folder = join(home, language);
  mkdirSync(folder);
  const { actor, operator, own } = await arrange(language, folder);
  const samples = inOrder.map(({ operationId, parameters = [], 'x-codeSamples': all }) => {
    const { source = '' } = all.find(({ label }) => label === language) ?? {};
    const values = new Map(
      parameters.flatMap(({ name, schema }) => {
        const value = own(operationId)[name];
        return value === undefined ? [] : [[String(schema.examples?.[0]), String(value)]];
      }),
    );
    // Both APIs have a getCustomer.
    const name = source.includes('OPERATOR_TOKEN') ? `${operationId}ByOperator` : operationId;
    return { name, source: withValues(source, values) };
  });
  const [command = '', ...args] = languages[language]?.(folder, samples) ?? [];
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PHOTO_SERVICE_URL: app.url,
    PHOTO_SERVICE_TOKEN: actor.token,
    OPERATOR_TOKEN: operator.token,
  };
  const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const succeeded = new Set(stdout.split('\n').map((line) => line.trim()));
  const failed = samples.filter(({ name }) => !succeeded.has(name)).map(({ name }) => name);
  expect(samples.length).toBeGreaterThan(40);
  expect([failed, failed.length > 0 ? stderr : '']).toEqual([[], '']);
});
