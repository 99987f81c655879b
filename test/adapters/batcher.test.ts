import { Batcher } from '../../src/adapters/shared-work.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { until } from '../support/until.js';

/** What was done together, and the way to let the first that is not over end. */
let done: { readonly key: string; readonly given: readonly number[]; end(error?: Error): void }[];

function open(options: ConstructorParameters<typeof Batcher>[1] = {}): Batcher<string, number, number> {
  const together = (key: string, given: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(given.map((value) => value * 10)));
      done.push({ key, given, end });
    });
  return new Batcher(together, options);
}

const forEver = () => new Promise<void>(() => {});
const given = () => done.map((each) => each.given);

beforeEach(() => {
  done = [];
});

it('a batcher runs a single call at once', async () => {
  const answer = open().enqueue('a', 1);
  expect(given()).toEqual([[1]]);
  done[0]?.end();
  expect(await answer).toBe(10);
});

it('a batcher runs calls together that come while another runs, and answers each', async () => {
  const batcher = open({ maxBatchSize: 3 });
  const answers = Promise.all([1, 2, 3, 4, 5].map((value) => batcher.enqueue('a', value)));
  for (let turn = 0; turn < 3; turn += 1) {
    await until(() => done.length > turn);
    done[turn]?.end();
  }
  expect(await answers).toEqual([10, 20, 30, 40, 50]);
  expect(given()).toEqual([[1], [2, 3, 4], [5]]);
});

it('a batcher delays no call because of another key', () => {
  const batcher = open();
  void batcher.enqueue('a', 1);
  void batcher.enqueue('b', 2);
  expect(done.map(({ key }) => key)).toEqual(['a', 'b']);
});

it('a batcher waits for announced calls, until they have come or are cancelled', async () => {
  const batcher = open({ maxWait: forEver });
  const [first, second, third] = [batcher.slot('a'), batcher.slot('a'), batcher.slot('a')];
  const answers = [first.enqueue(1), second.enqueue(2)];
  expect(given()).toEqual([]);
  await third.close();
  expect(given()).toEqual([[1, 2]]);
  done[0]?.end();
  expect(await Promise.all(answers)).toEqual([10, 20]);
  // Slots whose calls were made count no more.
  await first.close();
  void batcher.enqueue('a', 4);
  expect(given()).toEqual([[1, 2], [4]]);
});

it('a batcher does not wait beyond its limit of time, nor once a batch is full', async () => {
  let giveUp = () => {};
  const patient = open({ maxWait: () => new Promise((resolve) => (giveUp = resolve)) });
  patient.slot('a');
  void patient.enqueue('a', 1);
  expect(given()).toEqual([]);
  giveUp();
  await until(() => done.length === 1);
  const full = open({ maxWait: forEver, maxBatchSize: 2 });
  full.slot('a');
  void full.enqueue('a', 2);
  void full.enqueue('a', 3);
  expect(given()).toEqual([[1], [2, 3]]);
});

it('a batcher reports the error of one call to that call only', async () => {
  const together = async (_: string, values: readonly number[]) => {
    if (values.includes(3)) throw new Error('three');
    return values;
  };
  const batcher = new Batcher(together);
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((value) => batcher.enqueue('a', value)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

it('a batcher asks an unavailable service once, not once for each call', async () => {
  const batcher = open();
  const first = batcher.enqueue('a', 1);
  const others = Promise.allSettled([batcher.enqueue('a', 2), batcher.enqueue('a', 3)]);
  done[0]?.end();
  await first;
  await until(() => done.length === 2);
  done[1]?.end(new DomainError('service_unavailable', 'away'));
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(done).toHaveLength(2);
});

it('a batcher runs calls once that must not be repeated, and reports their failure to all callers', async () => {
  const batcher = open({ retrySingly: false });
  const first = batcher.enqueue('a', 1);
  const others = Promise.allSettled([batcher.enqueue('a', 2), batcher.enqueue('a', 3)]);
  done[0]?.end();
  await first;
  await until(() => done.length === 2);
  done[1]?.end(new Error('lost'));
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(done).toHaveLength(2);
});

it('a batcher runs later calls together, whatever was cancelled of an earlier batch', async () => {
  const batcher = open();
  const early = batcher.slot('a');
  const answer = early.enqueue(1);
  done[0]?.end();
  await answer;
  await until(() => given().length === 1);
  void batcher.enqueue('a', 2);
  await early.close();
  void batcher.enqueue('a', 3);
  void batcher.enqueue('a', 4);
  expect(given()).toEqual([[1], [2]]);
  done[1]?.end();
  await until(() => done.length === 3);
  expect(given()).toEqual([[1], [2], [3, 4]]);
});

it('a batcher that collects runs batches beside others, and collects on while too many run', async () => {
  const batcher = open({ collect: () => Promise.resolve() });
  const answers: Promise<number>[] = [];
  for (const value of [1, 2, 3, 4]) {
    answers.push(batcher.enqueue('a', value));
    await until(() => done.length === value);
  }
  for (const value of [5, 6]) answers.push(batcher.enqueue('a', value));
  // Another key is not held up.
  answers.push(batcher.enqueue('b', 7));
  await until(() => done.length === 5);
  expect(given()).toEqual([[1], [2], [3], [4], [7]]);
  done[1]?.end();
  await until(() => done.length === 6);
  answers.push(batcher.enqueue('a', 8));
  for (const { end } of done) end();
  await until(() => done.length === 7);
  done[6]?.end();
  expect(given().slice(5)).toEqual([[5, 6], [8]]);
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60, 70, 80]);
});
