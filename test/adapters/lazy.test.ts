import { Lazy } from '../../src/adapters/shared-work.js';

test('a lazy value is opened once, by the first call', async () => {
  let opened = 0;
  const lazy = new Lazy(async () => {
    opened += 1;
    return opened;
  });
  expect(lazy.opened).toBeNull();
  expect(await Promise.all([lazy.get(), lazy.get()])).toEqual([1, 1]);
  expect(await lazy.get()).toBe(1);
  expect(await lazy.opened).toBe(1);
});

test('a lazy value that fails to open fails the calls that waited for it, and the next call opens it again', async () => {
  const failures = [new Error('first'), new Error('second')];
  const lazy = new Lazy(async () => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'open';
  });
  expect(await Promise.allSettled([lazy.get(), lazy.get()])).toEqual([
    { status: 'rejected', reason: new Error('first') },
    { status: 'rejected', reason: new Error('first') },
  ]);
  expect(lazy.opened).toBeNull();
  await expect(lazy.get()).rejects.toThrow('second');
  expect(await lazy.get()).toBe('open');
});
