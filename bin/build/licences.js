import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const LINE = `\n${'-'.repeat(80)}\n\n`;

/** What a bundle is made of, beside it: the licences of the packages in it, and their names and versions, which the SBOM lists. */
const LICENCES = 'licences.txt';
const PACKAGES = 'packages.json';

/**
 * Writes which packages a bundle contains, by the modules that the bundler put into it, and the licence of each, as most licences ask for
 * wherever the code goes.
 * @param packed Folders with such files of what is in the bundle as one module.
 */
export function writeContents(target, modules, packed = []) {
  const names = packagesOf(modules).map((folder) => {
    const { name, version } = manifestOf(folder);
    return `${name}@${version}`;
  });
  const others = packed.flatMap(packagesIn);
  writeFileSync(join(target, PACKAGES), `${JSON.stringify([...new Set([...names, ...others])].sort(), null, 2)}\n`);
  const texts = packed.flatMap((folder) => readFileSync(join(folder, LICENCES), 'utf8').split(LINE));
  writeFileSync(join(target, LICENCES), licences(modules, texts));
}

/** The licence of each package that these modules are from, after the texts of others. */
export function licences(modules, others = []) {
  return [...new Set([...packagesOf(modules).map(licenceOf), ...others])].sort().join(LINE);
}

/** The packages in the bundle of a program, as `name@version`. */
export function packagesIn(program) {
  return JSON.parse(readFileSync(join(program, PACKAGES), 'utf8'));
}

/** The folders of the packages that modules are from, ours excepted. */
function packagesOf(modules) {
  const folders = modules.flatMap((module) => {
    const parts = module.split(sep);
    const at = parts.lastIndexOf('node_modules');
    return at < 0 ? [] : parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep);
  });
  return [...new Set(folders)];
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function licenceOf(folder) {
  const { name, version, licenses, license = licenses?.map(({ type }) => type).join(' OR ') } = manifestOf(folder);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[`${name}@${version}, ${license}`, ...texts].join('\n\n')}\n`;
}
