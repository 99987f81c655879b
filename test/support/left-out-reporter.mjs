import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Ends a run that leaves suites to `npm run test:rest` by naming them: nobody should take it for the whole. */
export default class LeftOutReporter {
  constructor({ rootDir, testPathPatterns }) {
    this.folder = join(rootDir, 'test');
    this.isNarrow = testPathPatterns.patterns.length > 0;
  }

  onRunComplete(contexts) {
    const ran = [...contexts].map(({ config }) => config.displayName?.name);
    if (this.isNarrow || ran.includes('services')) return;
    const files = readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      this.isLeftOut(name),
    );
    const names = files.sort().map((name) => `  test/${name}`);
    const lines = `\nLeft to \`npm run test:rest\`, for which those in test/services need Debian packages:\n${names.join('\n')}\n`;
    // Jest adds its summary after all other reporters. On standard error: with --json the document is on standard output.
    process.once('exit', () => writeSync(2, lines));
  }

  isLeftOut(name) {
    if (!name.endsWith('.test.ts')) return false;
    return name.startsWith('services') || readFileSync(join(this.folder, name), 'utf8').includes('@rest');
  }
}
