import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './house/measure.js';

// Measures how the program is built: sizes, the direction of imports, statements by hand, limits, and what a change would touch.
//   npm run house -- [--root DIR] [--before DIR] [--results FILE] [--walks] [--verbose] [--json]
// --root: another checkout than this one; --before: one more, for a column of its own; --results: what `jest --json --outputFile=FILE` wrote;
// --walks: the files that run in one request or job, for which each checkout is built and started (a minute).
const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    before: { type: 'string' },
    results: { type: 'string' },
    walks: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const measures = { ...measure(options.root, options.results), ...(await walksIn(options.root)) };
const before =
  options.before === undefined
    ? []
    : [{ title: 'before', measures: { ...measure(options.before), ...(await walksIn(options.before)) } }];
const now = { title: before.length === 0 ? 'measured' : 'after', measures };
if (options.json) {
  console.log(
    JSON.stringify(before.length === 0 ? measures : { before: before[0].measures, after: measures }, null, 2),
  );
} else {
  console.log(table([...before, now]));
  if (options.verbose) console.log(details(measures));
}

async function walksIn(folder) {
  return options.walks ? { walks: await (await import('./house/walks.js')).walks(folder) } : {};
}

/** One column for each tree; a measure that a tree does not have is a dash. */
function table(columns) {
  const names = [...new Set(columns.flatMap(({ measures }) => rows(measures).map(([name]) => name)))];
  const values = columns.map(({ measures }) => new Map(rows(measures)));
  const lines = names.map((name) => [name, ...values.map((column) => String(column.get(name) ?? '–'))]);
  return markdown([['', ...columns.map(({ title }) => title)], ...lines]);
}

function markdown([head, ...body]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

/** Rows of one tree: what is measured, and its value. */
function rows(measures) {
  const { rings, coreConcepts, direction, statements, limits, touched, sizes, rooms, tests, walks = {} } = measures;
  return [
    ...Object.entries(rings).map(([name, size]) => [`${name}: files, lines`, pair(size)]),
    ...Object.entries(coreConcepts).map(([name, size]) => [`core/${name}: files, lines`, pair(size)]),
    ['pairs of concepts that import each other', direction.mutualPairs.length],
    ['concepts in import cycles', direction.cycles.flat().length],
    ['imports against the direction: pairs of concepts', direction.againstDirection.length],
    [
      'imports against the direction: imports and names of repositories in files',
      sum(direction.againstDirection, ({ imports }) => imports.length),
    ],
    ['files of core that import what lies directly in src/core', direction.portsImportedBy],
    ['statements by hand in adapters/typeorm', statements.all],
    ['… of which plain, on one table', statements.plain.length],
    ['limits written as a bare number in core and http: places, files', `${limits.places}, ${limits.files}`],
    ['numbers that stand as a limit in several files', limits.repeated.length],
    ['… the one in most files: number, files', mostRepeated(limits)],
    ['files that write the number of a constant of core as a limit', filesOf(limits.ofConstants).length],
    [
      `endpoint (${touched.endpoint.method.toUpperCase()} ${touched.endpoint.route}): files`,
      count(touched.endpoint.files),
    ],
    ...touched.fields.flatMap((field) => [
      [`field \`${field.field}\`: files in src, in sdk and cli`, byPlace(field.files)],
      [`field \`${field.field}\`: places that declare it, files`, `${field.declared}, ${field.declaredIn.length}`],
    ]),
    [`store \`${touched.store.name}\`: files of its own, others`, ownAndOthers(touched.store)],
    ...touched.resources.map((each) => [`resource \`${each.resource}\`: files of its own, others`, ownAndOthers(each)]),
    ['src: TypeScript files, lines', pair(rooms)],
    ['… lines of the file in the middle', rooms.median],
    ['… files under 60 lines with one caller', rooms.withOneCaller.length],
    ['… doc comments, of which without a subject', `${rooms.comments}, ${rooms.withoutSubject.length}`],
    ['files over 400 lines; in src, under 10', `${sizes.over.length}, ${sizes.tiny.length}`],
    ['the fullest folder: files', rooms.fullest === null ? 'none' : `${rooms.fullest.folder}: ${rooms.fullest.files}`],
    ...Object.entries(walks).map(([name, files]) => [`walk, ${name}: files`, files.length]),
    ...(tests === undefined ? [] : testRows(tests)),
  ];
}

function testRows({ parts, waited }) {
  const sorted = Object.entries(parts).sort(([, a], [, b]) => b.seconds - a.seconds);
  return [
    ...sorted.map(([part, { files, tests, seconds }]) => [
      `test/${part}: files, tests, seconds`,
      `${files}, ${tests}, ${seconds.toFixed(1)}`,
    ]),
    ['tests: seconds from the first start to the last end', waited.toFixed(1)],
  ];
}

function pair({ files, lines }) {
  return `${files}, ${lines}`;
}

function mostRepeated({ repeated: [first] }) {
  return first === undefined ? 'none' : `${first.value}, ${first.files.length}`;
}

function filesOf(list) {
  return [...new Set(list.flatMap(({ files }) => files))];
}

function count(files) {
  return files === null ? 'not found' : files.length;
}

function ownAndOthers({ own, others }) {
  return `${own.length}, ${others.length}`;
}

function byPlace(files) {
  const inSrc = files.filter((path) => path.startsWith('src/')).length;
  return `${inSrc}, ${files.length - inSrc}`;
}

function sum(list, amountOf) {
  return list.reduce((total, each) => total + amountOf(each), 0);
}

/** The files behind the numbers. */
function details({ direction, statements, limits, touched, sizes, rooms, walks = {} }) {
  return [
    ['Concepts in import cycles', direction.cycles.map((group) => group.join(', '))],
    ['Concepts that import each other', direction.mutualPairs.map((names) => names.join(' ↔ '))],
    ...direction.againstDirection.map(({ from, to, imports }) => [
      `Against the direction: ${from} → ${to}`,
      imports.map((each) => `${each.file} → ${each.imports ?? `the repository ${each.repository}`}`),
    ]),
    [
      'Names of repositories that cannot be read',
      direction.unreadableNames.map(({ file, text }) => `${file}: ${text}`),
    ],
    ['Plain statements on one table', statements.plain.map(({ file, line }) => `${file}:${line}`)],
    ...limits.repeated.map(({ value, files }) => [`Limit ${value}`, files]),
    ...limits.ofConstants.map(({ value, names, files }) => [
      `${value}, as ${names.join(', ')}, written as a limit`,
      files,
    ]),
    ['Files of the endpoint', touched.endpoint.files ?? []],
    ...touched.fields.map(({ field, files, declaredIn }) => [
      `Files of the field ${field}; * where it is declared`,
      files.map((path) => (declaredIn.includes(path) ? `${path} *` : path)),
    ]),
    [`Files that know of the store ${touched.store.name}, beside its own`, touched.store.others],
    ...touched.resources.flatMap(({ resource, own, others }) => [
      [`Files of the resource ${resource}`, own],
      [`Files that know of the resource ${resource}`, others],
    ]),
    ...Object.entries(walks).map(([name, files]) => [`Walk, ${name}`, files]),
    ['Over 400 lines', sizes.over.map(({ path, lines }) => `${path}: ${lines}`)],
    ['Under 60 lines, with one caller', rooms.withOneCaller],
    ['Doc comments without a subject', rooms.withoutSubject.map(({ path, word }) => `${path}: ${word}`)],
    ['Under 10 lines', sizes.tiny.map(({ path, lines }) => `${path}: ${lines}`)],
  ]
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `\n${heading}\n${lines.map((each) => `  ${each}`).join('\n')}`)
    .join('\n');
}
