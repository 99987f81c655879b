import { deepStrictEqual } from 'node:assert';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { nodeOf, run, withFolder, withService } from './run.js';

/** publint on the packages, as they are packed, and @arethetypeswrong/cli on those that others import. */
export async function packages({ root, tools }) {
  await withFolder('photo-service-packages-', async (folder) => {
    await run(process.execPath, ['bin/packages.js', folder], { cwd: root });
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.tgz'))) {
      const file = join(folder, name);
      await run(nodeOf(tools), [join(tools, 'publint/src/cli.js'), 'run', file, '--strict'], { cwd: root });
      console.log(`${name}: publint has no finding`);
      if (!/^photo-service-(\d|sdk-|postgres-|uploader-)/.test(name)) continue;
      // Of the ways to resolve a package, only that of Node 10 is left out: it knows no exports, and such a Node cannot run any of this.
      const attw = join(tools, '@arethetypeswrong/cli/dist/index.js');
      const profile = name.startsWith('photo-service-sdk') ? 'node16' : 'esm-only';
      await run(nodeOf(tools), [attw, file, '--profile', profile, '--format', 'ascii'], { cwd: root });
      console.log(`${name}: attw has no finding`);
    }
  });
}

/** The service, the command line and the embedded Postgres, installed from their packages in empty folders: on every Node, from photos to the same bytes. */
export async function installed({ root, tools }) {
  await withFolder('photo-service installed ü-', async (folder) => {
    const packed = join(folder, 'packed');
    await run(process.execPath, ['bin/packages.js', packed], { cwd: root });
    const [service, client, postgres] = [
      await install(folder, packed, 'photo-service'),
      await install(folder, packed, 'photo-service-cli'),
      await install(folder, packed, 'photo-service-postgres'),
    ];
    // The program that its README begins with.
    const readme = readFileSync(join(postgres, 'node_modules/photo-service-postgres/README.md'), 'utf8');
    await writeFile(join(postgres, 'notes.mjs'), /```js\n([\s\S]*?)```/.exec(readme)[1]);
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
  });
}

/** @returns an empty folder in which a package was installed from its file, as its README says */
async function install(folder, packed, name) {
  const own = join(folder, name);
  await mkdir(own);
  const [file] = readdirSync(packed).filter((each) => each.startsWith(name) && /^-\d/.test(each.slice(name.length)));
  await run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', join(packed, file)], { cwd: own });
  return own;
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

const image = {
  error: 'not_found',
  forged: true,
  isWhole: true,
  placeholder: 'data:image/png;',
};
const whole = { ...image, imported: 3, failed: 0 };

/** The SDK as it is packed, in runtimes that its README names: against a service, both kinds of modules. */
export async function runtimes({ root, tools }) {
  await withFolder('photo-service-runtimes-', async (folder) => {
    // As npm installs it: packed, unpacked, and with the packages that it names.
    cpSync(join(root, 'bin/interop/programs'), folder, { recursive: true });
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'sdk') });
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['install', ...options, `./${packed.trim()}`], { cwd: folder });
    await withService(root, async ({ url, token }) => {
      const tried = async (name, program, args, expected = whole) => {
        const own = join(folder, name);
        mkdirSync(own);
        const given = { url, token, photos: join(root, 'examples/photos'), folder: own };
        const printed = await run(program, args, { cwd: folder, env: { GIVEN: JSON.stringify(given) } });
        const { image: address, ...outcome } = JSON.parse(printed);
        deepStrictEqual([name, outcome], [name, expected]);
        deepStrictEqual([name, new URL(address).pathname], [name, '/img/dk_0123456789abcdef/1/w=32']);
        console.log(name);
      };
      for (const version of [20, 22, 24, 26]) {
        await tried(`node-${version}`, nodeOf(tools, version), ['module.mjs']);
        await tried(`node-${version}-commonjs`, nodeOf(tools, version), ['commonjs.cjs']);
      }
      const deno = join(tools, '@deno/linux-x64-glibc/deno');
      await tried('deno', deno, ['run', '-A', '--no-lock', 'module.mjs']);
      await tried('deno-commonjs', deno, ['run', '-A', '--no-lock', 'commonjs.cjs']);
      const bun = join(tools, '@oven/bun-linux-x64/bin/bun');
      await tried('bun', bun, ['module.mjs']);
      await tried('bun-commonjs', bun, ['commonjs.cjs']);
      const web = { ...image, imported: 0, failed: ['not_an_image'] };
      await tried('workerd', nodeOf(tools), ['workerd.mjs', tools], web);
    });
  });
}
