import { importsOf } from './tree.js';

/**
 * Returns the imports that make each circle, as `[from, to]`; none if the files and folders of each folder have an order, in which each imports
 * those below it. An import counts for one folder alone, the deepest that has both files: so a circle of files is one of entries as well.
 */
export function circles(files) {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Map();
  for (const file of files) {
    for (const target of importsOf(file, paths)) {
      if (!paths.has(target) || target === file.path) continue;
      const [from, to] = [file.path.split('/'), target.split('/')];
      const depth = from.findIndex((name, at) => name !== to[at]);
      const entries = entryOf(folders, from.slice(0, depth).join('/'));
      const targets = entryOf(entries, from[depth]);
      targets.set(to[depth], [...(targets.get(to[depth]) ?? []), [file.path, target]]);
    }
  }
  return [...folders.values()].map(circleOf).filter((imports) => imports.length > 0);
}

function entryOf(map, key) {
  if (!map.has(key)) map.set(key, new Map());
  return map.get(key);
}

/** The imports of the first circle of these entries; none if they have an order. */
function circleOf(entries) {
  const done = new Set();
  const follow = (entry, path) => {
    const start = path.indexOf(entry);
    if (start !== -1) {
      const circle = [...path.slice(start), entry];
      return circle.slice(1).flatMap((to, at) => entries.get(circle[at]).get(to));
    }
    if (done.has(entry)) return [];
    for (const to of entries.get(entry)?.keys() ?? []) {
      const found = follow(to, [...path, entry]);
      if (found.length > 0) return found;
    }
    done.add(entry);
    return [];
  };
  return [...entries.keys()].map((entry) => follow(entry, [])).find((found) => found.length > 0) ?? [];
}
