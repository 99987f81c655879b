#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/program/phs.js', import.meta.url));
if (existsSync(program)) {
  const { run } = createRequire(import.meta.url)(program);
  process.exitCode = await run(process.argv.slice(2));
} else {
  console.error('phs: The program is not built. Run `npm run build`, or `npm start`, which builds it.');
  process.exitCode = 4;
}
