import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Begins with the suites that take longest, so that none of them runs alone at the end while the other processors wait: those that say
 * `@slow` in a comment (more than half a minute). Jest knows durations only where it has run before, and a new machine has not. Suites of
 * parts compute, and those that start programs wait half of the time: the former are spread among the latter, so that all along some
 * compute while others wait.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const [slow, others] = parted(sorted, ({ path }) => readFileSync(path, 'utf8').includes('@slow'));
    const [parts, programs] = parted(others, ({ context }) => context.config.displayName?.name === 'parts');
    return programs.length === 0 ? [...slow, ...parts] : spread([...slow, ...programs], parts);
  }
}

/** Those for which it holds, and the others. */
function parted(tests, holds) {
  return [tests.filter((test) => holds(test)), tests.filter((test) => !holds(test))];
}

/** `others` among `first`, the same number after each. */
function spread(first, others) {
  const share = others.length / first.length;
  const after = (index) => others.slice(Math.round(index * share), Math.round((index + 1) * share));
  return first.flatMap((one, index) => [one, ...after(index)]);
}
