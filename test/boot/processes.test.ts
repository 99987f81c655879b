import { configOf } from '../../src/composition/blob-stores.js';
import { processCount, quotaOf } from '../../src/start/processes/process-count.js';

const countOn = (processors: number, env: Record<string, string> = {}) => processCount(configOf(env), processors);

describe('PROCESSES', () => {
  test('auto is one process on two processors, which that process and its database use', () => {
    expect([1, 2].map((processors) => countOn(processors))).toEqual([1, 1]);
    expect(countOn(2, { PROCESSES: 'auto' })).toBe(1);
    expect(countOn(2, { PROCESSES: '2' })).toBe(2);
  });

  test('auto leaves one processor to the database and to pictures', () => {
    expect([3, 4, 6, 8].map((processors) => countOn(processors))).toEqual([2, 3, 5, 7]);
    expect(countOn(4, { PROCESSES: 'auto' })).toBe(3);
  });

  test('auto leaves room among the connections of a Postgres', () => {
    expect(countOn(64)).toBe(7);
  });

  test('is what the operator says, on any machine', () => {
    expect(countOn(1, { PROCESSES: '12' })).toBe(12);
    expect(countOn(64, { PROCESSES: '1' })).toBe(1);
    expect(() => configOf({ PROCESSES: '0' })).toThrow(
      'PROCESSES must be auto or a whole number from 1 to 64, not "0".',
    );
    expect(() => configOf({ PROCESSES: 'many' })).toThrow('PROCESSES must be auto or');
  });

  test('does not matter for a worker, which answers no requests', () => {
    expect(countOn(8, { ROLE: 'worker', PROCESSES: '4' })).toBe(1);
  });
});

test('the share of a container counts as whole processors', () => {
  expect(['max 100000', '150000 100000', '400000 100000', '50000 100000', ''].map(quotaOf)).toEqual([
    null,
    1,
    4,
    1,
    null,
  ]);
});
