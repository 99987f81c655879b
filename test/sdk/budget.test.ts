import { Budget } from '../../sdk/src/transport.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const headers = (remaining: number, { limit = 3, resetIn = 60 } = {}) =>
  new Headers({
    date: new Date().toUTCString(),
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + resetIn),
  });

/** Takes a place; tells whether it has it by now. */
function taking(budget: Budget) {
  const place = { isTaken: false, waits: [] as number[] };
  void budget
    .take(null, (milliseconds) => place.waits.push(milliseconds))
    .then(() => {
      place.isTaken = true;
    });
  return place;
}

const settle = () => jest.advanceTimersByTimeAsync(0);

async function call(budget: Budget, remaining: number): Promise<void> {
  const place = taking(budget);
  await settle();
  expect(place.isTaken).toBe(true);
  budget.answered(200, headers(remaining));
}

test('a request is sent at once while the budget lasts, and then when the oldest of our own leaves the window', async () => {
  const budget = new Budget();
  await call(budget, 2);
  await jest.advanceTimersByTimeAsync(10_000);
  await call(budget, 1);
  await call(budget, 0);
  const [next, last] = [taking(budget), taking(budget)];
  await jest.advanceTimersByTimeAsync(49_000);
  expect(next.isTaken).toBe(false);
  expect(next.waits).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(2000);
  expect([next.isTaken, last.isTaken]).toEqual([true, false]);
  budget.answered(200, headers(0));
  await jest.advanceTimersByTimeAsync(10_000);
  expect(last.isTaken).toBe(true);
});

test('requests under way count against the budget, and of responses that overlap the lowest number counts', async () => {
  const budget = new Budget();
  await call(budget, 2);
  const [first, second, third] = [taking(budget), taking(budget), taking(budget)];
  await settle();
  expect([first.isTaken, second.isTaken, third.isTaken]).toEqual([true, true, false]);
  budget.answered(200, headers(0));
  budget.answered(200, headers(1));
  await jest.advanceTimersByTimeAsync(30_000);
  // The last answer had no company, so it is exact: there is one left.
  expect(third.isTaken).toBe(true);
});

test('a budget that other users of the key have used is back when the service says so', async () => {
  const budget = new Budget();
  const place = taking(budget);
  await settle();
  expect(place.isTaken).toBe(true);
  budget.answered(429, headers(0, { resetIn: 20 }));
  budget.close(5);
  const next = taking(budget);
  await jest.advanceTimersByTimeAsync(19_000);
  expect(next.isTaken).toBe(false);
  await jest.advanceTimersByTimeAsync(2500);
  expect(next.isTaken).toBe(true);
});

test('a request that is aborted while it waits for the budget leaves the queue to the others', async () => {
  const budget = new Budget();
  await call(budget, 0);
  const stop = new AbortController();
  const aborted = budget.take(stop.signal, () => undefined).catch((reason: unknown) => reason);
  const next = taking(budget);
  stop.abort('no more');
  expect(await aborted).toBe('no more');
  await jest.advanceTimersByTimeAsync(61_000);
  expect(next.isTaken).toBe(true);
});
