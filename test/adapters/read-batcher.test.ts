import { readBatcher } from '../../src/adapters/shared-work.js';
import { Gate } from '../support/tenant.js';

/** Reads that are told apart by a number, and end when their gate is opened. */
function numberedReads() {
  const gates: Gate[] = [];
  const asked: (readonly string[])[] = [];
  const reads = readBatcher<number, string, number>(async (_, names) => {
    const number = asked.push(names);
    const gate = new Gate();
    gates.push(gate);
    await gate.opened;
    return new Map(names.filter((name) => name !== 'unknown').map((name) => [name, number]));
  });
  const open = (number: number) => gates[number - 1]?.open();
  return { reads, asked, open };
}

/** Until what was asked for so far is under way. */
const underWay = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('gathered reads', () => {
  it('ask once for concurrent requests, and return to each what it asked for', async () => {
    const { reads, asked, open } = numberedReads();
    const answers = Promise.all(['a', 'b', 'a', 'unknown'].map((name) => reads.enqueue(1, name)));
    await underWay();
    open(1);
    expect(await answers).toEqual([1, 1, 1, null]);
    expect(asked).toEqual([['a', 'b', 'unknown']]);
  });

  it('ask for each group separately', async () => {
    const reads = readBatcher<number, string, string>(
      async (group, names) => new Map(names.map((name) => [name, `${group}: ${names}`])),
    );
    const answers = await Promise.all([reads.enqueue(1, 'a'), reads.enqueue(2, 'a'), reads.enqueue(2, 'b')]);
    expect(answers).toEqual(['1: a', '2: a,b', '2: a,b']);
  });

  it('never answer a request by a read that began before it', async () => {
    const { reads, open } = numberedReads();
    const first = reads.enqueue(1, 'a');
    await underWay();
    const second = reads.enqueue(1, 'a');
    await underWay();
    open(1);
    open(2);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  it('pass a failure to all that asked, and read again for the next request', async () => {
    let failing = true;
    const reads = readBatcher<number, string, string>(async (_, names) => {
      if (failing) throw new Error('lost');
      return new Map(names.map((name) => [name, name]));
    });
    const answers = await Promise.allSettled([reads.enqueue(1, 'a'), reads.enqueue(1, 'b')]);
    expect(answers).toEqual(Array(2).fill({ status: 'rejected', reason: new Error('lost') }));
    failing = false;
    expect(await reads.enqueue(1, 'a')).toBe('a');
  });
});
