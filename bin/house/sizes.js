import { posix } from 'node:path';
import { importsOf } from './tree.js';

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
  ['uploader workspace', /^uploader\/src\//],
  ['postgres workspace', /^postgres\/src\//],
  ['testing', /^testing\//],
  ['bin', /^bin\//],
  ['bench', /^bench\//],
  ['test', /^test\//],
];

/** Lines above which a file tells more than one story. */
const MOST = 400;
/** Below this, a file with one caller is to be part of its caller's. Tables, Nest's own kinds of files and entries are what they are. */
const ROOM = 60;
const OF_A_KIND = /\.(module|controller|guard|filter|interceptor|repository|table)\.tsx?$|\/migrations\//;
/** What a doc comment must not begin with: a reader has to find out what it is about. */
const WITHOUT_SUBJECT = /\/\*\*\s+(?:\*\s+)?(What|How|Those|As|Of)\b/g;

export function sizesByRing(files) {
  const sizes = totals(files, ({ path }) => RINGS.find(([, pattern]) => pattern.test(path))?.[0]);
  return Object.fromEntries(RINGS.flatMap(([name]) => (sizes[name] ? [[name, sizes[name]]] : [])));
}

export function totals(files, nameOf) {
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

/**
 * What a stranger meets: how long the files of src are, which could be part of something else, and how their comments begin; and in all code, the
 * files over the limit, the longest first, and the fullest folder.
 */
export function rooms(files) {
  const own = files.filter(({ path }) => /^src\/.*\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
  const lengths = own.map(({ lines }) => lines).sort((a, b) => a - b);
  // Migrations are as long and as many as what they create, and tests have limits of their own.
  const limited = files.filter(({ path }) => !path.startsWith('test/') && !path.includes('/migrations/'));
  const over = limited.filter(({ lines }) => lines > MOST);
  const folders = new Map();
  for (const { path } of limited) {
    folders.set(posix.dirname(path), (folders.get(posix.dirname(path)) ?? 0) + 1);
  }
  const [fullest] = [...folders].sort(([, a], [, b]) => b - a);
  const paths = new Set(own.map(({ path }) => path));
  const imports = own.flatMap((file) => importsOf(file, paths));
  const small = own.filter(({ path, lines }) => lines < ROOM && !OF_A_KIND.test(path)).map(({ path }) => path);
  const comments = own.flatMap(({ path, text }) =>
    [...text.matchAll(WITHOUT_SUBJECT)].map(([, word]) => ({ path, word })),
  );
  return {
    files: own.length,
    lines: lengths.reduce((sum, each) => sum + each, 0),
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    over: over.map(({ path, lines }) => ({ path, lines })).sort((a, b) => b.lines - a.lines),
    fullest: fullest === undefined ? null : { folder: fullest[0], files: fullest[1] },
    withOneCaller: small.filter((path) => imports.filter((target) => target === path).length === 1),
    comments: own.reduce((sum, { text }) => sum + (text.match(/\/\*\*/g)?.length ?? 0), 0),
    withoutSubject: comments,
  };
}
