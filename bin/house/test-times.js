import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';

/** Seconds of each part of the tests, by what `jest --json --outputFile=FILE` has written. Files run beside each other: sums, not waits. */
export function testTimes(file, root) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const parts = {};
  for (const { name, startTime, endTime, assertionResults } of testResults) {
    const path = isAbsolute(name) && name.startsWith(root) ? relative(root, name) : name;
    const part = /(?:^|\/)test\/([^/]+)\//.exec(path)?.[1] ?? 'other';
    parts[part] ??= { files: 0, tests: 0, seconds: 0 };
    parts[part].files += 1;
    parts[part].tests += assertionResults.length;
    parts[part].seconds += Math.max(0, endTime - startTime) / 1000;
  }
  const from = Math.min(...testResults.map(({ startTime }) => startTime));
  const to = Math.max(...testResults.map(({ endTime }) => endTime));
  return { parts, waited: testResults.length === 0 ? 0 : (to - from) / 1000 };
}
