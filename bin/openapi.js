import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Writes openapi.json and openapi-operator.json out of the built program. With --release they are also kept as what this version was released with: the check for
// breaking changes compares with the newest of those.
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { openApiText } = await import('../dist/api/api-document.js');
const { operatorOpenApiText } = await import('../dist/api/operator/operator-document.js');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const text = openApiText(version);
writeFileSync(join(root, 'openapi.json'), text);
const operatorText = operatorOpenApiText(version);
writeFileSync(join(root, 'openapi-operator.json'), operatorText);
if (process.argv.includes('--release')) {
  const folder = join(root, 'docs', 'openapi');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `released-${version}.json`), text);
  writeFileSync(join(folder, `released-operator-${version}.json`), operatorText);
}
