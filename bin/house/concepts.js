import { repositoryNames } from './repository-names.js';
import { importsOf } from './tree.js';

/**
 * The direction of core's concepts (docs/architecture.md), lowest first: each may import its own level and those below it. What the
 * rule does not name (users, webhooks, backup …) stands above all of these.
 */
const LEVELS = [
  ['shared'],
  ['events', 'jobs', 'mail', 'audit', 'idempotency'],
  ['access', 'customers', 'blobs', 'media'],
  ['tags'],
  ['photos'],
  ['imports'],
];

/**
 * How the folders of src/core rely on each other: by imports, and by the names of repositories (`Transactional<'photos'>`). Files directly
 * in src/core (ports.ts) are no concept; who imports them is counted, but not who adds a port to them.
 */
export function concepts(files) {
  const { uses, unreadable } = repositoryNames(files.filter(({ path }) => conceptOf(path) !== undefined));
  const edges = edgesOf(files, uses);
  const names = [...new Set(files.flatMap(({ path }) => conceptOf(path) ?? []))].sort();
  const reached = new Map(names.map((name) => [name, reachable(name, edges)]));
  const mutual = edges.filter(
    ({ from, to }) => from < to && edges.some((back) => back.from === to && back.to === from),
  );
  return {
    edges,
    mutualPairs: mutual.map(({ from, to }) => [from, to]),
    cycles: groups(names, reached),
    againstDirection: edges.filter(({ from, to }) => level(to) > level(from)),
    unreadableNames: unreadable,
    portsImportedBy: importersOf(files, /^src\/core\/[^/]+\.ts$/),
  };
}

function conceptOf(path) {
  return /^src\/core\/([^/]+)\//.exec(path)?.[1];
}

function level(concept) {
  const found = LEVELS.findIndex((names) => names.includes(concept));
  return found === -1 ? LEVELS.length : found;
}

/**
 * One edge for each pair of concepts, with what makes it: `file → what it imports`, or the name of a repository that the other declares.
 */
function edgesOf(files, uses) {
  const paths = new Set(files.map(({ path }) => path));
  const edges = new Map();
  const add = (file, target, what) => {
    const [from, to] = [conceptOf(file), conceptOf(target)];
    if (from === undefined || to === undefined || to === from) return;
    const edge = edges.get(`${from}/${to}`) ?? { from, to, imports: [] };
    edges.set(`${from}/${to}`, edge);
    edge.imports.push({ file, ...what });
  };
  for (const file of files) {
    for (const target of importsOf(file, paths)) add(file.path, target, { imports: target });
  }
  for (const { file, name, declaredIn } of uses) add(file, declaredIn, { repository: name });
  return [...edges.values()].sort((a, b) => b.imports.length - a.imports.length);
}

/** Everything that a concept imports, directly or through others. */
function reachable(name, edges) {
  const found = new Set();
  const open = [name];
  while (open.length > 0) {
    const next = open.pop();
    for (const { to } of edges.filter(({ from }) => from === next)) {
      if (!found.has(to)) open.push(to);
      found.add(to);
    }
  }
  return found;
}

/** Concepts that reach each other: each group is a knot of one cycle or more. */
function groups(names, reached) {
  const inCycle = names.filter((name) => reached.get(name).has(name));
  const found = inCycle.map((name) =>
    inCycle.filter((other) => reached.get(name).has(other) && reached.get(other).has(name)),
  );
  return [...new Map(found.map((group) => [group.join(), group])).values()];
}

function importersOf(files, targets) {
  const paths = new Set(files.map(({ path }) => path));
  return files.filter(
    (file) =>
      file.path.startsWith('src/core/') &&
      importsOf(file, paths, { declared: false }).some((target) => targets.test(target)),
  ).length;
}
