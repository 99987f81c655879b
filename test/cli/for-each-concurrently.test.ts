import { forEachConcurrently } from '../../cli/src/download/for-each-concurrently.js';

test('concurrent work that fails ends once the calls under way have ended, and starts no others', async () => {
  const done: string[] = [];
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const all = forEachConcurrently(2, ['fails', 'slow', 'never begins'], async (item) => {
    if (item === 'fails') throw new Error('no');
    if (item === 'slow') await slow;
    done.push(item);
  });
  const ended = all.catch((error: Error) => [...done, error.message]);
  setImmediate(finish);
  expect(await ended).toEqual(['slow', 'no']);
  expect(done).toEqual(['slow']);
});
