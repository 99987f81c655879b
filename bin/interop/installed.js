import { deepStrictEqual } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { nodeOf, run } from './run.js';
import { withService } from './service.js';

/** The service, the command line and the embedded Postgres, installed from their packages in empty folders: on every Node, from photos to the same bytes. */
export async function check({ root, tools }) {
  const folder = await mkdtemp(join(tmpdir(), 'photo-service installed ü-'));
  try {
    const packed = join(folder, 'packed');
    await run(process.execPath, ['bin/packages.js', packed], { cwd: root });
    const [service, client, postgres] = [
      await installed(folder, packed, 'photo-service'),
      await installed(folder, packed, 'photo-service-cli'),
      await installed(folder, packed, 'photo-service-postgres'),
    ];
    await writeFile(join(postgres, 'notes.mjs'), exampleOf(postgres));
    for (const version of [20, 22, 24, 26]) {
      const node = nodeOf(tools, version);
      const own = join(folder, `node-${version}`);
      await mkdir(own);
      await importAndSync({ node, own, service, client, photos: join(root, 'examples/photos') });
      for (const notes of [1, 2]) {
        deepStrictEqual(await run(node, [join(postgres, 'notes.mjs')], { cwd: own }), `{ notes: ${notes} }\n`);
      }
      console.log(`node-${version}`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns an empty folder in which a package was installed from its file, as its README says */
async function installed(folder, packed, name) {
  const own = join(folder, name);
  await mkdir(own);
  const [file] = readdirSync(packed).filter((each) => each.startsWith(name) && /^-\d/.test(each.slice(name.length)));
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', join(packed, file)], { cwd: own });
  return own;
}

/** The program that its README begins with. */
function exampleOf(postgres) {
  const readme = readFileSync(join(postgres, 'node_modules/photo-service-postgres/README.md'), 'utf8');
  return /```js\n([\s\S]*?)```/.exec(readme)[1];
}

async function importAndSync({ node, own, service, client, photos }) {
  const program = join(service, 'node_modules/photo-service');
  const phs = (env, ...args) =>
    run(node, [join(client, 'node_modules/photo-service-cli/dist/phs.js'), ...args, '--json'], { cwd: own, env });
  // Its picture readers are processes of the same Node, not of the first one in PATH.
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  await withService(
    program,
    async ({ url, firstKey }) => {
      const env = { PATH, HOME: own, PHOTO_SERVICE_URL: url, PHOTO_SERVICE_TOKEN: firstKey };
      await phs(env, 'import', photos);
      await phs(env, 'sync', 'copy');
      const names = readdirSync(photos).filter((name) => name.endsWith('.jpg'));
      const bytesOf = (folder) => names.map((name) => readFileSync(join(folder, name)));
      deepStrictEqual(bytesOf(join(own, 'copy')), bytesOf(photos));
    },
    node,
  );
}
