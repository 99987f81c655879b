import ts from 'typescript';
import { importsOf, syntaxOf, walk } from './tree.js';

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

/** The types that take names of repositories (src/core/shared/transactional.ts). */
const NAMING = new Set(['Transactional', 'Readable', 'Transaction', 'Reader']);
/** All of them at once: a concept that takes these says nothing about what it touches. */
const ALL = new Set(['Repositories', 'Reads']);

/**
 * How the folders of src/core rely on each other: by imports, and by the names of repositories (`Transactional<'photos'>`). Files directly
 * in src/core (ports.ts) are no concept; who imports them is counted, but not who adds a port to them.
 */
export function concepts(files) {
  const { uses, unreadable } = repositoryNames(files.filter(({ path }) => conceptOf(path) !== undefined));
  const edges = edgesOf(files, uses);
  const paths = new Set(files.map(({ path }) => path));
  const importsPorts = (file) =>
    importsOf(file, paths, { declared: false }).some((target) => /^src\/core\/[^/]+\.ts$/.test(target));
  const names = [...new Set(files.flatMap(({ path }) => conceptOf(path) ?? []))].sort();
  const reached = new Map(names.map((name) => [name, reachable(name, edges)]));
  return {
    edges,
    cycles: groups(names, reached),
    againstDirection: edges.filter(({ from, to }) => level(to) > level(from)),
    unreadableNames: unreadable,
    portsImportedBy: files.filter((file) => file.path.startsWith('src/core/') && importsPorts(file)).length,
  };
}

export function conceptOf(path) {
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
  const found = new Set(edges.filter(({ from }) => from === name).map(({ to }) => to));
  // A set is walked on to what is added meanwhile.
  for (const each of found) for (const { from, to } of edges) if (from === each) found.add(to);
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

/**
 * Which repositories the types of these files name, and where each is declared. `unreadable` are places where that cannot be read from the
 * text: a name that is no literal, or all repositories at once.
 */
function repositoryNames(files) {
  const declared = new Map(files.flatMap((file) => declaredIn(file).map((name) => [name, file.path])));
  const uses = [];
  const unreadable = [];
  for (const file of files.filter(({ path }) => path !== 'src/core/shared/transactional.ts')) {
    for (const argument of argumentsIn(file)) {
      const name = ts.isLiteralTypeNode(argument) ? argument.literal.text : undefined;
      const declaredIn = declared.get(name);
      if (declaredIn === undefined) unreadable.push({ file: file.path, text: argument.getText() });
      else uses.push({ file: file.path, name, declaredIn });
    }
  }
  return { uses, unreadable };
}

/** The repositories that a file declares: `declare module '…/transactional.js' { interface Repositories { photos: … } }`. */
function declaredIn(file) {
  const names = [];
  walk(syntaxOf(file), (node) => {
    if (!ts.isModuleDeclaration(node)) return;
    walk(node, (inner) => {
      if (!ts.isInterfaceDeclaration(inner) || !ALL.has(inner.name.text)) return;
      for (const member of inner.members) names.push(member.name.getText());
    });
    return false;
  });
  return names;
}

/** Each name given to one of the types, and every other mention of all repositories; a union is several. */
function argumentsIn(file) {
  const found = [];
  walk(syntaxOf(file), (node) => {
    if (ts.isModuleDeclaration(node)) return false;
    if (ts.isImportSpecifier(node)) {
      // Under another name it would not be recognized.
      if (node.propertyName && (NAMING.has(node.propertyName.text) || ALL.has(node.propertyName.text)))
        found.push(node);
      return false;
    }
    if (ts.isIdentifier(node) && ALL.has(node.text)) found.push(node);
    if (ts.isTypeReferenceNode(node) && NAMING.has(node.typeName.getText())) {
      found.push(
        ...(node.typeArguments ?? []).flatMap((argument) =>
          ts.isUnionTypeNode(argument) ? argument.types : [argument],
        ),
      );
    }
  });
  return found;
}
