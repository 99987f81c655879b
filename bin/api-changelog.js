import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateOf } from './release/versions.js';

// Writes docs/api-changelog.md from the documents of the releases, each compared with the one before it. Whether a version is released, and when
// it was, is what CHANGELOG.md says.
//   node bin/api-changelog.js                 writes the page; with --check it only compares
//   node bin/api-changelog.js BEFORE AFTER    prints what one document has that another has not
const root = join(import.meta.dirname, '..');
const folder = join(root, 'docs', 'openapi');
const page = join(root, 'docs', 'api-changelog.md');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Every part of a document that clients can name, by its name. */
function partsOf(document) {
  const parts = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = `\`${method.toUpperCase()} ${path}\``;
      parts.set(name, operation);
      for (const each of operation.parameters ?? []) parts.set(`${name}: ${each.in} parameter \`${each.name}\``, each);
    }
  }
  for (const [type, event] of Object.entries(document.webhooks ?? {})) parts.set(`event \`${type}\``, event);
  for (const [name, schema] of Object.entries(document.components.schemas)) addFields(parts, name, schema);
  return parts;
}

function addFields(parts, name, schema) {
  for (const value of schema.enum ?? []) parts.set(`\`${name}\`: value \`${value}\``, {});
  for (const [field, inner] of Object.entries(schema.properties ?? {})) {
    parts.set(`field \`${name}.${field}\``, inner);
    addFields(parts, `${name}.${field}`, inner);
  }
  for (const each of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    if (each !== undefined) addFields(parts, name, each);
  }
}

/** Parts of something that is listed itself are not listed, too. */
function outermost(names) {
  const isInside = (name, other) =>
    other.startsWith('field ')
      ? name.startsWith(`${other.slice(0, -1)}.`) || name.startsWith(`${other.slice('field '.length)}: `)
      : name.startsWith(`${other}: `);
  return names.filter((name) => !names.some((other) => other !== name && isInside(name, other)));
}

function changes(before, after) {
  const [was, is] = [partsOf(before), partsOf(after)];
  const added = [...is.keys()].filter((name) => !was.has(name));
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const stable = [...is].filter(
    ([name, part]) => part['x-stability'] === 'stable' && was.get(name)?.['x-stability'] === 'beta',
  );
  const sections = {
    Added: outermost(added).map((name) => `${name}${is.get(name)['x-stability'] === 'beta' ? ' (beta)' : ''}`),
    'No longer beta': stable.map(([name]) => name),
    Removed: outermost(removed),
  };
  return Object.entries(sections).flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [`### ${title}`, '', ...lines.map((line) => `- ${line}`), ''],
  );
}

/** One API, newest release first. */
function history(title, name) {
  const numbers = (version) => version.split('.').map(Number);
  const versions = readdirSync(folder)
    .flatMap((file) => new RegExp(`^${name}-([0-9.]+)\\.json$`).exec(file)?.[1] ?? [])
    .sort((a, b) => numbers(a).reduce((order, part, at) => order || part - (numbers(b)[at] ?? 0), 0));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const releases = versions.map((version, at) => {
    const heading = `## ${title} ${version}, ${stateOf(changelog, version)}`;
    if (at === 0) return [heading, '', 'The first release.', ''];
    const [before, after] = [versions[at - 1], version].map((each) => read(join(folder, `${name}-${each}.json`)));
    const lines = changes(before, after);
    return [heading, '', ...(lines.length > 0 ? lines : ['No changes.', ''])];
  });
  return releases.reverse().flat();
}

const paths = process.argv.slice(2).filter((each) => each !== '--check');
if (paths.length === 2)
  console.log(
    changes(...paths.map(read))
      .join('\n')
      .trim(),
  );
else {
  const intro =
    'What each release added to the APIs and deprecated ([versions](guides/versioning.md)). Written by `node bin/api-changelog.js` from the documents of the releases.';
  const text = `${['# API changelog', '', intro, '', ...history('API', 'released'), ...history('Operator API', 'released-operator')].join('\n').trim()}\n`;
  if (!process.argv.includes('--check')) writeFileSync(page, text);
  else if (readFileSync(page, 'utf8') !== text) {
    console.error('docs/api-changelog.md is out of date: node bin/api-changelog.js');
    process.exitCode = 1;
  }
}
