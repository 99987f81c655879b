import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Begins with the suites that take longest, so that none of them runs alone at the end while the other processors wait: those that say
 * `@slow` in a comment (more than half a minute), then those that start programs, and at last parts, which take a few seconds each. Jest
 * knows durations only where it has run before, and a new machine has not.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const ranks = new Map(sorted.map((test) => [test, rank(test)]));
    return sorted.toSorted((a, b) => ranks.get(a) - ranks.get(b));
  }
}

function rank({ path, context }) {
  if (readFileSync(path, 'utf8').includes('@slow')) return 0;
  return context.config.displayName?.name === 'parts' ? 2 : 1;
}
