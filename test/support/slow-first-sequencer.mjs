import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Begins with the suites that take longest, so that none of them runs alone at the end while the other processors wait: those that say
 * `@slow` in a comment (more than half a minute). Jest knows durations only where it has run before, and a new machine has not.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = new Map(sorted.map((test) => [test, readFileSync(test.path, 'utf8').includes('@slow')]));
    return sorted.filter((test) => isSlow.get(test)).concat(sorted.filter((test) => !isSlow.get(test)));
  }
}
