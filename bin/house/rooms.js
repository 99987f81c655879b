import { posix } from 'node:path';
import { importsOf, isTypeScript } from './tree.js';

/** Below this, a file with one caller is to be part of its caller's. Tables, Nest's own kinds of files and entries are what they are. */
const ROOM = 60;
const OF_A_KIND = /\.(module|controller|guard|filter|interceptor|repository|table)\.tsx?$|\/migrations\//;
/** What a doc comment must not begin with: a reader has to find out what it is about. */
const WITHOUT_SUBJECT = /\/\*\*\s+(?:\*\s+)?(What|How|Those|As|Of)\b/g;

/** What a stranger meets in src: how long files are, how full folders, what could be part of something else, and how comments begin. */
export function rooms(files) {
  const own = files.filter(
    (file) => file.path.startsWith('src/') && isTypeScript(file) && !file.path.endsWith('.d.ts'),
  );
  const lengths = own.map(({ lines }) => lines).sort((a, b) => a - b);
  const folders = new Map();
  for (const { path } of files.filter(({ path }) => path.startsWith('src/') && !path.includes('/migrations/'))) {
    folders.set(posix.dirname(path), (folders.get(posix.dirname(path)) ?? 0) + 1);
  }
  const [fullest] = [...folders].sort(([, a], [, b]) => b - a);
  const comments = own.flatMap(({ path, text }) =>
    [...text.matchAll(WITHOUT_SUBJECT)].map(([, word]) => ({ path, word })),
  );
  return {
    files: own.length,
    lines: lengths.reduce((sum, each) => sum + each, 0),
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    fullest: fullest === undefined ? null : { folder: fullest[0], files: fullest[1] },
    withOneCaller: withOneCaller(own),
    comments: own.reduce((sum, { text }) => sum + (text.match(/\/\*\*/g)?.length ?? 0), 0),
    withoutSubject: comments,
  };
}

function withOneCaller(own) {
  const paths = new Set(own.map(({ path }) => path));
  const callers = new Map();
  for (const file of own)
    for (const target of importsOf(file, paths)) callers.set(target, (callers.get(target) ?? 0) + 1);
  return own
    .filter(({ path, lines }) => lines < ROOM && callers.get(path) === 1 && !OF_A_KIND.test(path))
    .map(({ path }) => path);
}
