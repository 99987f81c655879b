import type { Customer } from '../../src/core/customers/customer.js';
import {
  type Job,
  type JobClaim,
  type JobQueue,
  type JobWork,
  MAX_FAILURES,
  MAX_OUTAGES,
  outageSeconds,
  type Pool,
} from '../../src/core/jobs/job.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { FETCH_SLOTS, fetchPool, jobPool } from '../../src/worker/pools.js';
import { type RunningWorker, runWorker } from '../../src/worker/worker.js';
import { MemoryCustomerStore } from '../../testing/memory/memory-customer-store.js';
import { MemoryDatabase } from '../../testing/memory/memory-database.js';
import { MemoryJobQueue } from '../../testing/memory/memory-job-queue.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { claimJob } from '../support/claim.js';

const HOURS = 60 * 60;

const CUSTOMER = 5;

let clock: SettableClock;
let database: MemoryDatabase;
let store: MemoryCustomerStore;
/** What the worker sees, and what is behind it. */
let jobs: FaultyQueue;
let queue: JobQueue;
let workers: RunningWorker[];
let over: boolean;

beforeEach(() => {
  clock = new SettableClock();
  database = new MemoryDatabase();
  store = new MemoryCustomerStore(database, clock);
  queue = new MemoryJobQueue(database, clock);
  jobs = new FaultyQueue(queue);
  workers = [];
  over = false;
});
afterEach(async () => {
  over = true;
  await stopAll();
});

async function stopAll(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.stop()));
}

async function add(photo: number): Promise<void> {
  await store.transaction(CUSTOMER, (transaction) => transaction.jobs.add(inspect(photo)));
  jobs.wakeUp();
}

/** Time passes, and what became due is announced. */
function pass(seconds: number): void {
  clock.pass(seconds * 1000);
  jobs.wakeUp();
}

/** Only a wake-up brings this worker back to the queue in the time of a test. */
function start(
  handle: Parameters<typeof jobPool>[1],
  { idleSeconds = 1000, ...options }: Partial<Parameters<typeof jobPool>[2]> & { readonly idleSeconds?: number } = {},
): RunningWorker {
  const pool = jobPool({ jobs }, handle, { concurrency: 2, leaseSeconds: 300, ...options });
  const worker = runWorker({ jobs }, [pool], { idleSeconds });
  workers.push(worker);
  return worker;
}

describe('a worker that takes jobs', () => {
  it('runs those that are due already and those that become due later, each once', async () => {
    const done: number[] = [];
    await add(1);
    await add(2);
    start(async (job) => {
      done.push(photoOf(job));
    });
    await until(() => done.length === 2 && jobs.listeners === 1);
    await add(3);
    await until(() => done.length === 3);
    expect(done.sort()).toEqual([1, 2, 3]);
    await stopAll();
    pass(24 * HOURS);
    expect(await claimJob(queue, 1)).toBeNull();
  });

  it('listens, then takes over jobs of dead workers, then takes new jobs', async () => {
    start(async () => {});
    await until(() => jobs.claims === 1);
    expect(jobs.calls.slice(0, 3)).toEqual(['listen', 'reclaim', 'claim']);
    await add(1);
    await until(() => jobs.completed === 1);
    expect(jobs.calls.filter((call) => call === 'listen' || call === 'reclaim')).toHaveLength(2);
  });

  it('misses no job that comes just before it listens', async () => {
    let runs = 0;
    jobs.beforeListening = () => add(1);
    start(async () => {
      runs += 1;
    });
    await until(() => runs === 1);
    expect(jobs.listeners).toBe(1);
  });

  it('misses no job that comes while it learns that there is none', async () => {
    let runs = 0;
    jobs.afterLooking = async () => {
      jobs.afterLooking = async () => {};
      await add(1);
    };
    start(async () => {
      runs += 1;
    });
    await until(() => runs === 1);
    expect(jobs.claims).toBeGreaterThanOrEqual(2);
  });

  it('passes the job as it was claimed to the handler, with a signal that does not fire', async () => {
    const seen: { job: Job; aborted: boolean }[] = [];
    await add(7);
    start(async (job, signal) => {
      seen.push({ job, aborted: signal.aborted });
    });
    await until(() => seen.length === 1);
    expect(seen[0]).toMatchObject({ job: { customerId: CUSTOMER, work: inspect(7), attempt: 1 }, aborted: false });
  });

  it('runs as many at a time as it may, and no more', async () => {
    for (let photo = 1; photo <= 7; photo += 1) await add(photo);
    const open = new Map<number, () => void>();
    let most = 0;
    let done = 0;
    start(
      async (job) => {
        await new Promise<void>((resolve) => {
          open.set(photoOf(job), resolve);
          most = Math.max(most, open.size);
        });
        done += 1;
      },
      { concurrency: 3 },
    );
    for (let left = 7; left > 0; left -= 1) {
      await until(() => open.size === Math.min(3, left));
      const [photo, end] = [...open][0] ?? [0, () => {}];
      open.delete(photo);
      end();
    }
    await until(() => done === 7);
    expect(most).toBe(3);
  });

  it('runs a job once more that was added while it ran', async () => {
    const end = gate();
    let runs = 0;
    await add(1);
    start(async () => {
      runs += 1;
      await end.opened;
    });
    await until(() => runs === 1);
    await add(1);
    end.open();
    await until(() => runs === 2);
    await stopAll();
    expect(runs).toBe(2);
  });

  it('polls when no wake-up comes', async () => {
    let runs = 0;
    jobs.deaf = true;
    start(
      async () => {
        runs += 1;
      },
      { idleSeconds: 0.02 },
    );
    await until(() => jobs.claims > 1);
    await add(1);
    await until(() => runs === 1);
  });
});

describe('pools of workers', () => {
  const addFetches = async (count: number) => {
    database.customers.set(CUSTOMER, { id: CUSTOMER, status: 'active' } as Customer);
    await store.transaction(CUSTOMER, async ({ jobs: added }) => {
      for (let itemId = 1; itemId <= count; itemId += 1) {
        await added.add({ kind: 'fetch', importId: 1, itemId, uploadId: 1, host: 'a.example.com' });
      }
    });
  };

  it('share one listener and do not wait for each other', async () => {
    const { opened, open } = gate();
    const done: number[] = [];
    let fetching = 0;
    await addFetches(9);
    const slow = fetchPool({ store }, async () => {
      fetching += 1;
      await opened;
    });
    const quick = jobPool({ jobs }, async (job) => void done.push(photoOf(job)), { concurrency: 2, leaseSeconds: 300 });
    const worker = runWorker({ jobs }, [slow, quick], { idleSeconds: 1000 });
    workers.push(worker);
    await until(() => fetching === FETCH_SLOTS.lane && jobs.listeners === 1);
    for (let photo = 1; photo <= 5; photo += 1) await add(photo);
    await until(() => done.length === 5);
    expect(fetching).toBe(FETCH_SLOTS.lane);
    expect(jobs.calls.filter((call) => call === 'listen' || call === 'reclaim')).toEqual(['listen', 'reclaim']);
    open();
  });

  it('listen once, although each has tried while the queue was unavailable', async () => {
    jobs.failing.add('listen');
    const fetches = fetchPool({ store }, async () => {});
    const own = jobPool({ jobs }, async () => {}, { concurrency: 2, leaseSeconds: 300 });
    const worker = runWorker({ jobs }, [fetches, own], { idleSeconds: 0.002 });
    workers.push(worker);
    await until(() => jobs.claims > 6);
    jobs.failing.clear();
    const { claims } = jobs;
    await until(() => jobs.claims > claims + 6);
    expect(jobs.listeners).toBe(1);
    await worker.stop();
    expect(jobs.listeners).toBe(0);
  });
});

describe('a failing job', () => {
  it('is repeated, later each time, and dies after the last attempt', async () => {
    const attempts: number[] = [];
    const told: unknown[] = [];
    await add(1);
    start(
      async (job) => {
        attempts.push(job.attempt);
        throw new Error('broken picture');
      },
      { onError: (job, error) => told.push([job.attempt, String(error)]) },
    );
    for (let attempt = 1; attempt <= MAX_FAILURES; attempt += 1) {
      await until(() => jobs.released.length === attempt);
      expect(attempts).toHaveLength(attempt);
      pass(HOURS);
    }
    expect(jobs.released.map(([reason]) => reason)).toEqual(Array(MAX_FAILURES).fill('Error: broken picture'));
    const [first, second, last] = jobs.released.map(([, seconds]) => seconds);
    // One second, then four, spread by up to a quarter.
    expect([first, last]).toEqual([1, null]);
    expect([4, 5]).toContain(second);
    expect(attempts).toEqual([1, 2, 3]);
    expect(told).toEqual([1, 2, 3].map((attempt) => [attempt, 'Error: broken picture']));
    await stopAll();
    pass(24 * HOURS);
    expect(await claimJob(queue, 1)).toBeNull();
  });

  it('does not stop other jobs, also when it throws before it returns a promise', async () => {
    const done: number[] = [];
    await add(1);
    await add(2);
    start(
      (job) => {
        if (photoOf(job) === 1) throw new Error('at once');
        done.push(photoOf(job));
        return Promise.resolve();
      },
      { concurrency: 1 },
    );
    await until(() => done.length === 1 && jobs.released.length === 1);
    expect(done).toEqual([2]);
  });

  it('is put off at an outage, and the attempt does not count', async () => {
    const attempts: number[] = [];
    await add(1);
    start(async (job) => {
      attempts.push(job.attempt);
      if (attempts.length < 3) throw new DomainError('service_unavailable', 'The store is away.');
    });
    for (let outage = 1; outage <= 2; outage += 1) {
      await until(() => jobs.postponed.length === outage);
      pass(60);
    }
    await until(() => attempts.length === 3);
    expect(attempts).toEqual([1, 1, 1]);
    expect(jobs.released).toEqual([]);
  });

  it('is put off for longer at each outage, up to ten minutes', async () => {
    await add(1);
    start(async () => {
      throw new DomainError('service_unavailable', 'The store is away.');
    });
    const waits = [1, 2, 4, 8, 16, 32];
    for (const outage of waits.keys()) {
      await until(() => jobs.postponed.length === outage + 1);
      pass(HOURS);
    }
    for (const [outage, wait] of waits.entries()) {
      expect(jobs.postponed[outage]).toBeGreaterThanOrEqual(wait);
      expect(jobs.postponed[outage]).toBeLessThanOrEqual(Math.ceil(wait * 1.25));
    }
    expect([outageSeconds(10), outageSeconds(11), outageSeconds(MAX_OUTAGES)]).toEqual([512, 600, 600]);
    // What a job has waited by its last outage: a day, and not ten minutes more.
    const waited = Array.from({ length: MAX_OUTAGES }, (_, outage) => outageSeconds(outage + 1));
    const day = waited.reduce((sum, wait) => sum + wait, 0) / HOURS;
    expect(day).toBeGreaterThanOrEqual(24);
    expect(day).toBeLessThan(24.2);
  });
});

describe('the lease of a job', () => {
  it('is extended while the job runs, for longer than it lasts, and not afterwards', async () => {
    const ends = [gate(), gate()];
    const aborted: boolean[] = [];
    await add(1);
    await add(2);
    start(
      async (job, signal) => {
        await ends[photoOf(job) - 1]?.opened;
        aborted.push(signal.aborted);
      },
      { leaseSeconds: 0.06 },
    );
    const extensions = (photo: number) => jobs.extended.filter((job) => photoOf(job) === photo).length;
    await until(() => extensions(1) >= 5 && extensions(2) >= 5);
    ends[0]?.open();
    await until(() => jobs.completed === 1);
    const [first, second] = [extensions(1), extensions(2)];
    await until(() => extensions(2) >= second + 3);
    expect(extensions(1)).toBe(first);
    ends[1]?.open();
    await until(() => jobs.completed === 2);
    expect(aborted).toEqual([false, false]);
  });

  it('fires the signal when another worker has the job, whose run is then not changed', async () => {
    let lost = false;
    await add(1);
    start(
      async (_job, signal) => {
        await fired(signal);
        lost = true;
      },
      { concurrency: 1, leaseSeconds: 0.5 },
    );
    await until(() => jobs.claims === 1);
    pass(HOURS);
    const other = await claimJob(queue, 60);
    expect(other).toMatchObject({ attempt: 2 });
    await until(() => lost && jobs.completed === 1);
    // Told once, it does not ask again.
    expect(jobs.refused).toBe(1);
    await stopAll();
    expect(await queue.extend(other as Job, 60)).toBe(true);
  });

  it('fires the signal when the queue could not be reached for as long as the lease lasts', async () => {
    const failures: unknown[] = [];
    let reason: unknown;
    await add(1);
    jobs.failing.add('extend');
    start(
      async (_job, signal) => {
        await fired(signal);
        reason = signal.reason;
        throw signal.reason;
      },
      { leaseSeconds: 0.5, onQueueError: (error) => failures.push(error) },
    );
    await until(() => jobs.released.length === 1);
    expect(String(reason)).toBe('Error: The lease was lost.');
    expect(failures).toContain(jobs.failure);
  });
});

describe('a worker whose queue is unavailable', () => {
  it('continues when the queue is available again', async () => {
    const failures: unknown[] = [];
    let runs = 0;
    await add(1);
    jobs.failing.add('claim').add('listen');
    start(
      async () => {
        runs += 1;
      },
      { onQueueError: (error) => failures.push(error) },
    );
    await until(() => failures.length >= 2);
    jobs.failing.clear();
    await until(() => runs === 1);
    await until(() => jobs.listeners === 1);
    await add(2);
    await until(() => runs === 2);
    expect(new Set(failures)).toEqual(new Set([jobs.failure]));
  });

  it('takes over jobs of dead workers as soon as the queue allows it', async () => {
    jobs.failing.add('reclaim');
    start(async () => {}, { idleSeconds: 0.02 });
    await until(() => jobs.claims === 2);
    jobs.failing.clear();
    await until(() => jobs.claims === 4);
    // Two that failed, and one that did not; it goes on listening with the first.
    expect(jobs.calls.filter((call) => call === 'reclaim')).toHaveLength(3);
    expect(jobs.listeners).toBe(1);
  });

  it('continues without wake-ups when it cannot listen', async () => {
    let runs = 0;
    jobs.failing.add('listen');
    start(
      async () => {
        runs += 1;
      },
      { idleSeconds: 0.02 },
    );
    await add(1);
    await until(() => runs === 1);
  });

  it.each(['complete', 'release'] as const)('repeats a %s that failed, not the job', async (call) => {
    let runs = 0;
    await add(1);
    jobs.failing.add(call);
    const failures: unknown[] = [];
    start(
      async () => {
        runs += 1;
        if (call === 'release') throw new Error('broken picture');
      },
      { onQueueError: (error) => failures.push(error) },
    );
    await until(() => failures.length >= 2);
    jobs.failing.clear();
    await until(() => jobs.completed + jobs.released.length === 1);
    await stopAll();
    expect(runs).toBe(1);
  });
});

describe('a worker that is stopped', () => {
  it('waits for running jobs, interrupts nothing and takes nothing more', async () => {
    const end = gate();
    const began: number[] = [];
    const aborted: boolean[] = [];
    await add(1);
    const worker = start(
      async (job, signal) => {
        began.push(photoOf(job));
        await end.opened;
        aborted.push(signal.aborted);
      },
      { leaseSeconds: 0.06 },
    );
    await until(() => began.length === 1);
    let stopped = false;
    const stopping = worker.stop().then(() => {
      stopped = true;
    });
    await add(2);
    const extended = jobs.extended.length;
    await until(() => jobs.extended.length >= extended + 5);
    expect(stopped).toBe(false);
    // It still lives, and keeps what it holds.
    expect(jobs.listeners).toBe(1);
    end.open();
    await stopping;
    expect(began).toEqual([1]);
    expect(aborted).toEqual([false]);
    expect(jobs.completed).toBe(1);
    expect(jobs.listeners).toBe(0);
    expect(await claimJob(queue, 60)).toMatchObject({ work: inspect(2), attempt: 1 });
  });

  it('ends at once if it is idle, and stops listening, however often it is asked', async () => {
    const worker = start(async () => {});
    await until(() => jobs.listeners === 1);
    await Promise.all([worker.stop(), worker.stop()]);
    await worker.stop();
    expect(jobs.listeners).toBe(0);
  });

  it('ends although its queue is unavailable', async () => {
    jobs.failing.add('claim');
    const worker = start(async () => {});
    await until(() => jobs.claims === 3);
    await worker.stop();
    expect(jobs.listeners).toBe(0);
  });
});

/** Counts the calls that succeed, fails those that it is told to, and wakes when a test says so. */
class FaultyQueue implements JobQueue {
  readonly failure = new Error('the queue is away');
  readonly failing = new Set<keyof JobQueue>();
  readonly calls: (keyof JobQueue)[] = [];
  readonly extended: Job[] = [];
  readonly released: [reason: string, seconds: number | null][] = [];
  refused = 0;
  claims = 0;
  completed = 0;
  readonly postponed: number[] = [];
  listeners = 0;
  /** Takes listeners and never wakes them. */
  deaf = false;
  afterLooking = async (): Promise<void> => {};
  beforeListening = async (): Promise<void> => {};
  private wake: (pool: Pool) => void = () => {};

  constructor(private readonly queue: JobQueue) {}

  async claim<P extends Pool>(pool: P, claim: JobClaim): Promise<readonly Job<P>[]> {
    this.claims += 1;
    this.fail('claim');
    const jobs = await this.queue.claim(pool, claim);
    if (jobs.length === 0) await this.afterLooking();
    return jobs;
  }

  async extend(job: Job, leaseSeconds: number): Promise<boolean> {
    this.fail('extend');
    const held = await this.queue.extend(job, leaseSeconds);
    this.extended.push(job);
    if (!held) this.refused += 1;
    return held;
  }

  async complete(job: Job): Promise<boolean> {
    this.fail('complete');
    const isHeld = await this.queue.complete(job);
    this.completed += 1;
    return isHeld;
  }

  async release(job: Job, reason: string, seconds: number | null): Promise<boolean> {
    this.fail('release');
    const isHeld = await this.queue.release(job, reason, seconds);
    this.released.push([reason, seconds]);
    return isHeld;
  }

  async postpone(job: Job, reason: string, seconds: number): Promise<boolean> {
    this.fail('postpone');
    const isHeld = await this.queue.postpone(job, reason, seconds);
    this.postponed.push(seconds);
    return isHeld;
  }

  async reclaim(): Promise<void> {
    this.fail('reclaim');
    await this.queue.reclaim();
  }

  async listen(wake: (pool: Pool) => void): Promise<() => Promise<void>> {
    this.fail('listen');
    await this.beforeListening();
    this.wake = wake;
    const stop = await this.queue.listen(() => {});
    this.listeners += 1;
    return async () => {
      await stop();
      this.listeners -= 1;
      this.wake = () => {};
    };
  }

  /** Once for each job that became due: the least that a queue must do. */
  wakeUp(): void {
    if (!this.deaf) this.wake('jobs');
  }

  private fail(call: keyof JobQueue): void {
    this.calls.push(call);
    if (this.failing.has(call)) throw this.failure;
  }
}

function inspect(photoId: number): JobWork {
  return { kind: 'inspect', importId: 1, photoId };
}

function photoOf(job: Job): number {
  return job.work.kind === 'inspect' ? job.work.photoId : 0;
}

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    // The test has run out of time.
    if (over) throw new Error(`never came true: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
