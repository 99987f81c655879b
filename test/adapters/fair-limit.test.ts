import { FairLimit } from '../../src/adapters/media/child-process-media-reader.js';

/** Who asks, in this order, and who is in. The letter of a name is its customer. */
class Visitors {
  readonly inside = new Set<string>();

  constructor(private readonly limit: FairLimit) {}

  async come(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      void this.limit.acquire(customerOf(name), { alone: name.endsWith('!') }).then(() => this.inside.add(name));
    }
    await settled();
  }

  async go(name: string): Promise<string> {
    this.inside.delete(name);
    this.limit.release(customerOf(name));
    await settled();
    return this.now;
  }

  get now(): string {
    return [...this.inside].join(' ');
  }
}

const customerOf = (name: string) => name.charCodeAt(0);

async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

let limit: FairLimit;
let visitors: Visitors;
beforeEach(() => {
  limit = new FairLimit(2);
  visitors = new Visitors(limit);
});

describe('of one customer', () => {
  test('jobs are limited in number, and the one that has waited longest comes next', async () => {
    await visitors.come('a1', 'a2', 'a3', 'a4');
    expect(visitors.now).toBe('a1 a2');
    expect(await visitors.go('a2')).toBe('a1 a3');
    expect(await visitors.go('a1')).toBe('a3 a4');
  });

  test('a job that needs to be alone waits for the others to leave, and is not overtaken', async () => {
    await visitors.come('a1', 'a2', 'a3!', 'a4');
    expect(await visitors.go('a1')).toBe('a2');
    expect(await visitors.go('a2')).toBe('a3!');
    await visitors.come('a5');
    expect(visitors.now).toBe('a3!');
    expect(await visitors.go('a3!')).toBe('a4 a5');
  });

  test('two jobs that need to be alone run one after the other', async () => {
    await visitors.come('a1!', 'a2!');
    expect(visitors.now).toBe('a1!');
    expect(await visitors.go('a1!')).toBe('a2!');
    expect(await visitors.go('a2!')).toBe('');
    await visitors.come('a3');
    expect(visitors.now).toBe('a3');
  });
});

describe('of several customers', () => {
  test('a job of one without a slot runs next to those of one that has all', async () => {
    await visitors.come('a1', 'a2', 'a3', 'b1', 'c1');
    expect(visitors.now).toBe('a1 a2 b1');
    expect(await visitors.go('a1')).toBe('a2 b1 c1');
    await visitors.come('b2');
    expect(visitors.now).toBe('a2 b1 c1');
  });

  test('jobs take turns, however many one customer waits for', async () => {
    await visitors.come('a1', 'a2', 'a3', 'a4', 'a5');
    await visitors.come('b1', 'b2', 'b3');
    expect(visitors.now).toBe('a1 a2 b1');
    expect(await visitors.go('b1')).toBe('a1 a2 b2');
    expect(await visitors.go('a1')).toBe('a2 b2');
    expect(await visitors.go('a2')).toBe('b2 a3');
    expect(await visitors.go('a3')).toBe('b2 b3 a4');
    expect(await visitors.go('b2')).toBe('b3 a4');
    expect(await visitors.go('b3')).toBe('a4 a5');
  });

  test('a job that is to be alone, or waits for that, delays none of other customers', async () => {
    await visitors.come('a1', 'a2!', 'b1');
    expect(visitors.now).toBe('a1 b1');
    await visitors.come('c1');
    expect(visitors.now).toBe('a1 b1 c1');
    expect(await visitors.go('a1')).toBe('b1 c1 a2!');
    expect(await visitors.go('c1')).toBe('b1 a2!');
    await visitors.come('c2');
    expect(visitors.now).toBe('b1 a2! c2');
  });

  test('the slots that each customer has and waits for are counted', async () => {
    await visitors.come('a1', 'a2', 'a3', 'b1');
    expect([limit.asked(customerOf('a')), limit.asked(customerOf('b')), limit.asked(customerOf('c'))]).toEqual([
      3, 1, 0,
    ]);
    await visitors.go('a1');
    expect(limit.asked(customerOf('a'))).toBe(2);
  });
});
