import { deepStrictEqual } from 'node:assert';
import { cpSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeOf, run } from './run.js';
import { withService } from './service.js';

const image = {
  error: 'not_found',
  forged: true,
  isWhole: true,
  placeholder: 'data:image/png;',
};
const whole = { ...image, imported: 3, failed: 0 };

/** The SDK as it is packed, in runtimes that its README names: against a service, both kinds of modules. */
export async function check({ root, tools }) {
  const folder = await mkdtemp(join(tmpdir(), 'photo-service-runtimes-'));
  try {
    await installSdk(root, folder);
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
      const deno = [join(tools, '@deno/linux-x64-glibc/deno'), ['run', '-A', '--no-lock']];
      await tried('deno', deno[0], [...deno[1], 'module.mjs']);
      await tried('deno-commonjs', deno[0], [...deno[1], 'commonjs.cjs']);
      const bun = join(tools, '@oven/bun-linux-x64/bin/bun');
      await tried('bun', bun, ['module.mjs']);
      await tried('bun-commonjs', bun, ['commonjs.cjs']);
      const web = { ...image, imported: 0, failed: ['not_an_image'] };
      await tried('workerd', nodeOf(tools), ['workerd.mjs', tools], web);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As npm installs it: packed, unpacked, and with the packages that it names. */
async function installSdk(root, folder) {
  cpSync(join(root, 'bin/interop/programs'), folder, { recursive: true });
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'sdk') });
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', [...args, `./${packed.trim()}`], { cwd: folder });
}
