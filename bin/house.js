import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure } from './house/measure.js';
import { details, table } from './house/report.js';

// Measures how the program is built: sizes, the direction of imports, statements by hand, limits, and what a change would touch.
//   npm run house -- [--root DIR] [--before DIR] [--results FILE] [--walks] [--verbose] [--json]
// --root: another checkout than this one; --before: one more, for a column of its own; --results: what `jest --json --outputFile=FILE` wrote;
// --walks: the files that run in one request or job, for which each checkout is built and started (a minute).
const { values: options } = parseArgs({
  options: {
    root: { type: 'string', default: join(dirname(fileURLToPath(import.meta.url)), '..') },
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
