import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeOf, run } from './run.js';

const documents = ['openapi.json', 'openapi-operator.json'];

/** Rules of Spectral that do not fit. */
const off = [
  // Of OpenAPI 3.0, where only OAuth2 has scopes. In 3.1 other schemes may name what they require (4.8.30).
  'oas3-operation-security-defined',
  // In 3.1 an identifier of SPDX stands in the place of an address, and excludes it.
  'license-url',
  // Each installation has an operator of its own: /.well-known/security.txt names whom to ask.
  'info-contact',
  // In the order of reading.
  'openapi-tags-alphabetical',
];

/** Spectral with all other rules for OpenAPI, and Redocly's strict rules: neither may have a warning. */
export async function check({ root, tools }) {
  const folder = await mkdtemp(join(tmpdir(), 'photo-service-documents-'));
  const ruleset = join(folder, 'ruleset.yaml');
  const rules = off.map((name) => `\n  ${name}: off`).join('');
  writeFileSync(ruleset, `extends: [["spectral:oas", "all"]]\nrules:${rules}\n`);
  try {
    const files = documents.map((name) => join(root, name));
    const spectral = join(tools, '@stoplight/spectral-cli/dist/index.js');
    await run(nodeOf(tools), [spectral, 'lint', '--fail-severity=hint', '--ruleset', ruleset, ...files]);
    console.log('spectral has no finding');
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    await run(process.execPath, [redocly, 'lint', '--max-problems=20', ...documents], { cwd: root });
    console.log('redocly has no finding');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
