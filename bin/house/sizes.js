import { isTypeScript } from './tree.js';

/** Folders whose sizes are told, by name. `composition` includes the settings and what lies directly in src. */
const RINGS = [
  ['core', /^src\/core\//],
  ['api', /^src\/api\//],
  ['http', /^src\/http\//],
  ['pages', /^src\/pages\//],
  ['worker', /^src\/worker\//],
  ['adapters', /^src\/adapters\//],
  ['cli', /^src\/cli\//],
  ['start', /^src\/start\//],
  ['composition', /^src\/((composition|config)\/)?[^/]+$/],
  ['sdk workspace', /^sdk\/src\//],
  ['cli workspace', /^cli\/src\//],
  ['testing', /^testing\//],
  ['test', /^test\//],
];

/** Lines above which a file tells more than one story. Migrations are as long as what they create. */
const MOST = 400;
/** Below this, a file is to be merged with what it belongs to. */
const LEAST = 10;

export function sizesByRing(files) {
  const sizes = totals(files, ({ path }) => RINGS.find(([, pattern]) => pattern.test(path))?.[0]);
  return Object.fromEntries(RINGS.flatMap(([name]) => (sizes[name] ? [[name, sizes[name]]] : [])));
}

export function sizesByConcept(files) {
  return totals(files, ({ path }) => /^src\/core\/([^/]+)\//.exec(path)?.[1]);
}

function totals(files, nameOf) {
  const sizes = {};
  for (const file of files) {
    const name = nameOf(file);
    if (name === undefined) continue;
    sizes[name] ??= { files: 0, lines: 0 };
    sizes[name].files += 1;
    sizes[name].lines += file.lines;
  }
  return sizes;
}

/** Files over the limit, the longest first; and files that are too small to stand alone. */
export function oversized(files) {
  const own = files.filter(({ path }) => path.startsWith('src/') && !path.includes('/migrations/'));
  const over = own.filter((file) => isTypeScript(file) && file.lines > MOST).sort((a, b) => b.lines - a.lines);
  const tiny = own.filter((file) => isTypeScript(file) && file.lines < LEAST);
  const sizeOf = ({ path, lines }) => ({ path, lines });
  return { over: over.map(sizeOf), tiny: tiny.map(sizeOf) };
}
