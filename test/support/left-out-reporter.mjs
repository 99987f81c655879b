import { readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Ends a run of everything but test/services by naming what it left out: nobody should take it for the whole. */
export default class LeftOutReporter {
  constructor({ rootDir, testPathPatterns }) {
    this.folder = join(rootDir, 'test', 'services');
    this.isNarrow = testPathPatterns.patterns.length > 0;
  }

  onRunComplete(contexts) {
    const ran = [...contexts].map(({ config }) => config.displayName?.name);
    if (this.isNarrow || ran.includes('services')) return;
    const files = readdirSync(this.folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'));
    const names = files.sort().map((name) => `  test/services/${name}`);
    const lines = `\nLeft to \`npm run test:services\`, which needs Debian packages:\n${names.join('\n')}\n`;
    // Jest adds its summary after all other reporters. On standard error: with --json the document is on standard output.
    process.once('exit', () => writeSync(2, lines));
  }
}
