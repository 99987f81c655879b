import { Places } from '../../src/adapters/media/places.js';

/** Who asks, in this order, and who is in. */
class Visitors {
  readonly inside = new Set<string>();

  constructor(private readonly places: Places) {}

  async come(name: string, alone = false): Promise<void> {
    void this.places.take(alone).then(() => this.inside.add(name));
    await settled();
  }

  async go(name: string): Promise<string> {
    this.inside.delete(name);
    this.places.leave();
    await settled();
    return [...this.inside].join(' ');
  }
}

async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

let visitors: Visitors;
beforeEach(() => {
  visitors = new Visitors(new Places(2));
});

test('there are so many, and who waits longest comes next', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await visitors.come(name);
  expect([...visitors.inside]).toEqual(['a', 'b']);
  expect(await visitors.go('b')).toBe('a c');
  expect(await visitors.go('a')).toBe('c d');
});

test('who wants to be alone waits for the others to leave, and is not overtaken', async () => {
  await visitors.come('a');
  await visitors.come('b');
  await visitors.come('alone', true);
  await visitors.come('c');
  expect(await visitors.go('a')).toBe('b');
  expect(await visitors.go('b')).toBe('alone');
  await visitors.come('d');
  expect([...visitors.inside]).toEqual(['alone']);
  expect(await visitors.go('alone')).toBe('c d');
});

test('two who want to be alone are so one after the other', async () => {
  await visitors.come('first', true);
  await visitors.come('second', true);
  expect([...visitors.inside]).toEqual(['first']);
  expect(await visitors.go('first')).toBe('second');
  expect(await visitors.go('second')).toBe('');
  await visitors.come('a');
  expect([...visitors.inside]).toEqual(['a']);
});
