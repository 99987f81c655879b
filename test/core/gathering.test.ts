import { DomainError } from '../../src/core/shared/errors.js';
import { Gathering } from '../../src/core/shared/gathering.js';
import { until } from '../support/until.js';

/** What was done together, and the way to let the first that is not over end. */
let done: { readonly key: string; readonly given: readonly number[]; end(error?: Error): void }[];

function open(options: ConstructorParameters<typeof Gathering>[1] = {}): Gathering<string, number, number> {
  const together = (key: string, given: readonly number[]) =>
    new Promise<readonly number[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(given.map((value) => value * 10)));
      done.push({ key, given, end });
    });
  return new Gathering(together, options);
}

const forEver = () => new Promise<void>(() => {});
const given = () => done.map((each) => each.given);

beforeEach(() => {
  done = [];
});

it('does a call that comes alone at once', async () => {
  const answer = open().do('a', 1);
  expect(given()).toEqual([[1]]);
  done[0]?.end();
  expect(await answer).toBe(10);
});

it('does together what comes while another is done, and answers each', async () => {
  const gathering = open({ most: 3 });
  const answers = Promise.all([1, 2, 3, 4, 5].map((value) => gathering.do('a', value)));
  for (let turn = 0; turn < 3; turn += 1) {
    await until(() => done.length > turn);
    done[turn]?.end();
  }
  expect(await answers).toEqual([10, 20, 30, 40, 50]);
  expect(given()).toEqual([[1], [2, 3, 4], [5]]);
});

it('keeps nobody waiting for what has another key', () => {
  const gathering = open();
  void gathering.do('a', 1);
  void gathering.do('b', 2);
  expect(done.map(({ key }) => key)).toEqual(['a', 'b']);
});

it('waits for what was announced, until it has come or is withdrawn', async () => {
  const gathering = open({ patience: forEver });
  const [first, second, third] = [gathering.announce('a'), gathering.announce('a'), gathering.announce('a')];
  const answers = [first.do(1), second.do(2)];
  expect(given()).toEqual([]);
  third.withdraw();
  expect(given()).toEqual([[1, 2]]);
  done[0]?.end();
  expect(await Promise.all(answers)).toEqual([10, 20]);
  // What was withdrawn once counts no more.
  third.withdraw();
  void gathering.do('a', 4);
  expect(given()).toEqual([[1, 2], [4]]);
});

it('does not wait for ever, nor once it is as much as is done together', async () => {
  let giveUp = () => {};
  const patient = open({ patience: () => new Promise((resolve) => (giveUp = resolve)) });
  patient.announce('a');
  void patient.do('a', 1);
  expect(given()).toEqual([]);
  giveUp();
  await until(() => done.length === 1);
  const full = open({ patience: forEver, most: 2 });
  full.announce('a');
  void full.do('a', 2);
  void full.do('a', 3);
  expect(given()).toEqual([[1], [2, 3]]);
});

it('leaves the error of one to that one', async () => {
  const together = async (_: string, values: readonly number[]) => {
    if (values.includes(3)) throw new Error('three');
    return values;
  };
  const gathering = new Gathering(together);
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((value) => gathering.do('a', value)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

it('asks once, not once for each, of what is away', async () => {
  const gathering = open();
  const first = gathering.do('a', 1);
  const others = Promise.allSettled([gathering.do('a', 2), gathering.do('a', 3)]);
  done[0]?.end();
  await first;
  await until(() => done.length === 2);
  done[1]?.end(new DomainError('service_unavailable', 'away'));
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(done).toHaveLength(2);
});

it('asks once of what must not be asked again, and tells everybody that it failed', async () => {
  const gathering = open({ again: false });
  const first = gathering.do('a', 1);
  const others = Promise.allSettled([gathering.do('a', 2), gathering.do('a', 3)]);
  done[0]?.end();
  await first;
  await until(() => done.length === 2);
  done[1]?.end(new Error('lost'));
  expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(done).toHaveLength(2);
});

it('does together what comes later, whatever was withdrawn of an earlier time', async () => {
  const gathering = open();
  const early = gathering.announce('a');
  const answer = early.do(1);
  done[0]?.end();
  await answer;
  await until(() => given().length === 1);
  void gathering.do('a', 2);
  early.withdraw();
  void gathering.do('a', 3);
  void gathering.do('a', 4);
  expect(given()).toEqual([[1], [2]]);
  done[1]?.end();
  await until(() => done.length === 3);
  expect(given()).toEqual([[1], [2], [3, 4]]);
});
