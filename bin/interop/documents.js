import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../bench/service.mjs';
import { nodeOf, printed, run, withFolder, withService } from './run.js';

const apis = { api: 'openapi.json', operator: 'openapi-operator.json' };

/** Rules of Spectral that do not fit. */
const off = [
  // Of OpenAPI 3.0, where only OAuth2 has scopes. In 3.1 other schemes may name what they require (4.8.30).
  'oas3-operation-security-defined',
  // In 3.1 an identifier of SPDX stands in the place of an address, and excludes it.
  'license-url',
  // Each installation has an operator of its own: /.well-known/security.txt names whom to ask.
  'info-contact',
  // In the order of reading.
  'openapi-tags-alphabetical',
];

/** Spectral with all other rules for OpenAPI, and Redocly's strict rules: neither may have a warning. */
export async function documents({ root, tools }) {
  await withFolder('photo-service-documents-', async (folder) => {
    const ruleset = join(folder, 'ruleset.yaml');
    const rules = off.map((name) => `\n  ${name}: off`).join('');
    writeFileSync(ruleset, `extends: [["spectral:oas", "all"]]\nrules:${rules}\n`);
    const names = Object.values(apis);
    const files = names.map((name) => join(root, name));
    const spectral = join(tools, '@stoplight/spectral-cli/dist/index.js');
    await run(nodeOf(tools), [spectral, 'lint', '--fail-severity=hint', '--ruleset', ruleset, ...files]);
    console.log('spectral has no finding');
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    await run(process.execPath, [redocly, 'lint', '--max-problems=20', ...names], { cwd: root });
    console.log('redocly has no finding');
  });
}

/** Three generators of clients: what they generate compiles, and one of them takes a photo through the quick start. */
export async function clients({ root, tools }) {
  await withFolder('photo-service-clients-', async (folder) => {
    await symlink(tools, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, document] of Object.entries(apis)) {
      const input = join(root, document);
      const node = (script, ...args) => run(nodeOf(tools), [join(tools, script), ...args], { cwd: folder });
      const client = (script, output, kind) => node(script, '--input', input, '--output', output, '--client', kind);
      await client('@hey-api/openapi-ts/bin/run.js', `hey-${name}`, '@hey-api/client-fetch');
      await client('orval/dist/bin/orval.mjs', `orval-${name}.ts`, 'fetch');
      const types = join(root, 'node_modules/openapi-typescript/bin/cli.js');
      await run(process.execPath, [types, input, '-o', join(folder, `types-${name}.ts`)]);
    }
    const options = { strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler' };
    const compilerOptions = { ...options, lib: ['es2023', 'dom', 'dom.iterable'], skipLibCheck: true, types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'hey-*'] }));
    await run(nodeOf(tools), [join(tools, 'typescript/bin/tsc'), '-p', folder]);
    console.log('the clients of @hey-api/openapi-ts, orval and openapi-typescript compile');
    await withService(root, async ({ url, token }) => {
      const program = join(root, 'bin/interop/programs/quick-start.ts');
      const bun = join(tools, '@oven/bun-linux-x64/bin/bun');
      const env = { CLIENT: join(folder, 'hey-api'), PHOTO_SERVICE_URL: url, PHOTO_SERVICE_TOKEN: token };
      console.log((await run(bun, [program, join(root, 'examples/photos/rocks.jpg')], { env })).trim());
    });
  });
}

/** Prism between a client and both APIs: it compares each request and each response with the documents, and may not have a finding. */
export async function proxy({ root, tools }) {
  await withService(root, async ({ url, token, operatorToken }) => {
    const proxies = [];
    try {
      for (const document of Object.values(apis)) {
        const port = await freePort();
        const prism = join(tools, '@stoplight/prism-cli/dist/index.js');
        const args = [prism, 'proxy', join(root, document), url, '--port', String(port)];
        const child = spawn(nodeOf(tools), args, { stdio: ['ignore', 'pipe', 'inherit'] });
        proxies.push({ child, url: `http://127.0.0.1:${port}` });
        await printed(child, 'Prism is listening', 'prism');
      }
      const [api, operator] = proxies.map((proxy) => proxy.url);
      const program = join(root, 'bin/interop/programs/calls.mjs');
      // In the environment: arguments are in messages of errors.
      const given = JSON.stringify({ api, operator, token, operatorToken, photos: join(root, 'examples/photos') });
      console.log((await run(process.execPath, [program], { cwd: root, env: { GIVEN: given } })).trim());
    } finally {
      for (const { child } of proxies) child.kill();
    }
  });
}
