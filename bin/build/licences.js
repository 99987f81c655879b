import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const LINE = `\n${'-'.repeat(80)}\n\n`;

/**
 * What the bundle has of others, each with its licence, as most licences ask for wherever the code goes.
 * @param others The same text of something that is in the bundle as one module.
 */
export function licences(modules, others = '') {
  const folders = new Set(modules.map(packageOf).filter((folder) => folder !== null));
  const packed = others === '' ? [] : others.split(LINE);
  return [...new Set([...[...folders].map(licenceOf), ...packed])].sort().join(LINE);
}

/** The folder of the package that a module is from; null of ours. */
function packageOf(module) {
  const parts = module.split(sep);
  const at = parts.lastIndexOf('node_modules');
  return at < 0 ? null : parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join(sep);
}

function licenceOf(folder) {
  const {
    name,
    version,
    licenses,
    license = licenses?.map(({ type }) => type).join(' OR '),
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `${[`${name}@${version}, ${license}`, ...texts].join('\n\n')}\n`;
}
