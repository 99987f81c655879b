import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeOf, run } from './run.js';
import { withService } from './service.js';

const apis = { api: 'openapi.json', operator: 'openapi-operator.json' };

/** Three generators of clients: what they generate compiles, and one of them takes a photo through the quick start. */
export async function check({ root, tools }) {
  const folder = await mkdtemp(join(tmpdir(), 'photo-service-clients-'));
  try {
    await symlink(tools, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, document] of Object.entries(apis)) {
      const input = join(root, document);
      const node = (script, ...args) => run(nodeOf(tools), [join(tools, script), ...args], { cwd: folder });
      await node(
        '@hey-api/openapi-ts/bin/run.js',
        '--input',
        input,
        '--output',
        `hey-${name}`,
        '--client',
        '@hey-api/client-fetch',
      );
      await node('orval/dist/bin/orval.mjs', '--input', input, '--output', `orval-${name}.ts`, '--client', 'fetch');
      await run(process.execPath, [
        join(root, 'node_modules/openapi-typescript/bin/cli.js'),
        input,
        '-o',
        join(folder, `types-${name}.ts`),
      ]);
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
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
