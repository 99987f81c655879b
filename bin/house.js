import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './house/measure.js';

// Measures how the program is built: sizes, circles and the direction of imports, and the files that a request or job runs through.
//   npm run house -- [--root DIR] [--before DIR] [--walks] [--verbose] [--json]
// --root: another checkout than this one; --before: one more, for a column of its own; --walks: the files that run in one request or job, for
// which each checkout is built and started (a minute).
const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    before: { type: 'string' },
    walks: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const measures = await measured(options.root);
const before = options.before === undefined ? null : await measured(options.before);
if (options.json) {
  console.log(JSON.stringify(before === null ? measures : { before, after: measures }, null, 2));
} else {
  console.log(table(before === null ? { measured: measures } : { before, after: measures }));
  if (options.verbose) console.log(details(measures));
}

async function measured(folder) {
  if (!options.walks) return measure(folder);
  const { walks } = await import('./house/walks.js');
  return { ...measure(folder), walks: await walks(folder) };
}

/** In Markdown, with a column for each tree by its title; a measure that a tree does not have is a dash. */
function table(trees) {
  const columns = Object.values(trees).map((tree) => new Map(rows(tree)));
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const head = ['', ...Object.keys(trees)];
  const lines = names.map((name) => [name, ...columns.map((column) => String(column.get(name) ?? '–'))]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function rows({ rings, coreConcepts, direction, circles, rooms, walks = {} }) {
  const { fullest } = rooms;
  return [
    ...Object.entries(rings).map(([name, size]) => [`${name}: files, lines`, pair(size)]),
    ...Object.entries(coreConcepts).map(([name, size]) => [`core/${name}: files, lines`, pair(size)]),
    ['circles of files and folders', circles.length],
    ['concepts of core in circles, by imports and names of repositories', direction.cycles.flat().length],
    ['pairs of concepts that rely on each other against the direction', direction.againstDirection.length],
    ['src: TypeScript files, lines', pair(rooms)],
    ['… lines of the file in the middle', rooms.median],
    ['… files under 60 lines with one caller', rooms.withOneCaller.length],
    ['… doc comments, of which without a subject', `${rooms.comments}, ${rooms.withoutSubject.length}`],
    ['files over 400 lines', rooms.over.length],
    ['the fullest folder: files', fullest === null ? 'none' : `${fullest.folder}: ${fullest.files}`],
    ...Object.entries(walks).map(([name, files]) => [`walk, ${name}: files`, files.length]),
  ];
}

function pair({ files, lines }) {
  return `${files}, ${lines}`;
}

/** The files behind the numbers. */
function details({ direction, circles, rooms, walks = {} }) {
  return [
    ...circles.map((imports) => ['Circle', imports.map(([from, to]) => `${from} → ${to}`)]),
    ['Concepts in circles', direction.cycles.map((group) => group.join(', '))],
    ...direction.againstDirection.map(({ from, to, imports }) => [
      `Against the direction: ${from} → ${to}`,
      imports.map((each) => `${each.file} → ${each.imports ?? `the repository ${each.repository}`}`),
    ]),
    [
      'Names of repositories that cannot be read',
      direction.unreadableNames.map(({ file, text }) => `${file}: ${text}`),
    ],
    ...Object.entries(walks).map(([name, files]) => [`Walk, ${name}`, files]),
    ['Over 400 lines', rooms.over.map(({ path, lines }) => `${path}: ${lines}`)],
    ['Under 60 lines, with one caller', rooms.withOneCaller],
    ['Doc comments without a subject', rooms.withoutSubject.map(({ path, word }) => `${path}: ${word}`)],
  ]
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `\n${heading}\n${lines.map((each) => `  ${each}`).join('\n')}`)
    .join('\n');
}
