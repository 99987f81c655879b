import ts from 'typescript';
import { isTypeScript, syntaxOf } from './tree.js';

/** Folders whose sizes are told, by name. `composition` includes the settings and what lies directly in src. */
const RINGS = [
  ['core', /^src\/core\//],
  ['http', /^src\/http\//],
  ['worker', /^src\/worker\//],
  ['adapters', /^src\/adapters\//],
  ['cli', /^src\/cli\//],
  ['start', /^src\/start\//],
  ['composition', /^src\/((composition|config)\/)?[^/]+$/],
  ['sdk workspace', /^sdk\/src\//],
  ['cli workspace', /^cli\/src\//],
  ['test', /^test\//],
];

/** Lines above which a file is to be split by concept. */
const KINDS = [
  { kind: 'use case', most: 60, is: isUseCase },
  { kind: 'controller', most: 150, is: ({ path }) => /^src\/http\/.*\.controller\.tsx?$/.test(path) },
  { kind: 'adapter', most: 250, is: ({ path }) => /^src\/adapters\/(?!typeorm\/migrations\/)/.test(path) },
];
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

/** Files over the limit of their kind, those that are longest for it first; and files that are too small to stand alone. */
export function oversized(files) {
  const over = files.flatMap((file) => {
    const { path, lines } = file;
    const kind = KINDS.find(({ is }) => is(file));
    return kind && lines > kind.most ? [{ path, kind: kind.kind, lines, most: kind.most }] : [];
  });
  const tiny = files.filter((file) => file.path.startsWith('src/') && isTypeScript(file) && file.lines < LEAST);
  return {
    over: over.sort((a, b) => b.lines / b.most - a.lines / a.most),
    tiny: tiny.map(({ path, lines }) => ({ path, lines })),
  };
}

/** A file of core that exports the function that it is named after, which takes ports first. */
function isUseCase(file) {
  const name = /^src\/core\/.*\/([a-z0-9-]+)\.ts$/.exec(file.path)?.[1];
  if (name === undefined) return false;
  const verb = name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
  const [useCase] = syntaxOf(file).statements.filter(
    (each) => ts.isFunctionDeclaration(each) && each.name?.text === verb,
  );
  const [ports] = useCase?.parameters ?? [];
  return ports !== undefined && (ts.isObjectBindingPattern(ports.name) || /^(uses|ports)$/.test(ports.name.getText()));
}
