import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Writes what `phs mcp` says of the parameters of its tools, out of openapi.json: cli/src/mcp/api-schemas.ts. With --check it only compares.
const root = join(import.meta.dirname, '../..');
const target = join(root, 'cli', 'src', 'mcp', 'api-schemas.ts');
const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'));

/** Without references, and without examples: agents read all of it in each session. */
function resolved(schema) {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (schema === null || typeof schema !== 'object') return schema;
  const { $ref, examples: _, ...rest } = schema;
  const kept = Object.entries(rest).filter(([name]) => !name.startsWith('x-'));
  const values = Object.fromEntries(kept.map(([name, value]) => [name, resolved(value)]));
  return $ref === undefined ? values : { ...resolved(find($ref)), ...values };
}

function find(reference) {
  return reference
    .split('/')
    .slice(1)
    .reduce((at, name) => at[name], document);
}

/** The parameters of a list, but for those that all lists have, and for what only pages of a program need. */
function filters(path) {
  const left = ['limit', 'cursor', 'include'];
  const parameters = document.paths[path].get.parameters.map(({ $ref, ...inline }) => ($ref ? find($ref) : inline));
  const own = parameters.filter((each) => each.in === 'query' && !left.includes(each.name));
  return Object.fromEntries(own.map(({ name, description, schema }) => [name, { ...resolved(schema), description }]));
}

const { trashed: _, ...changes } = resolved(document.components.schemas.PhotoPatch).properties;
const constants = {
  photoFilters: filters('/api/v1/photos'),
  tagFilters: filters('/api/v1/tags'),
  photoChanges: changes,
};
const lines = Object.entries(constants).map(
  ([name, value]) => `export const ${name}: Readonly<Record<string, object>> = ${JSON.stringify(value, null, 2)};\n`,
);
const text = `// Written by bin/generate/agent-schemas.js from openapi.json: npm run sdk:types\n\n${lines.join('\n')}`;
if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error(`${target} is out of date: npm run sdk:types`);
  process.exitCode = 1;
}
