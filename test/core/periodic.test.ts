import { type PeriodicTask, runPeriodically } from '../../src/worker/periodic.js';
import { Gate } from '../support/tenant.js';
import { until } from '../support/until.js';

const running: ReturnType<typeof runPeriodically>[] = [];
const errors: string[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((tasks) => tasks.stop()));
  errors.length = 0;
});

function run(...tasks: readonly Partial<PeriodicTask>[]): ReturnType<typeof runPeriodically> {
  const whole = tasks.map((task) => ({ name: 'a task', everySeconds: 0.005, run: async () => {}, ...task }));
  const started = runPeriodically(whole, (task, error) => errors.push(`${task}: ${error}`));
  running.push(started);
  return started;
}

test('a periodic task runs again and again', async () => {
  let runs = 0;
  run({ run: async () => (runs += 1) });
  await until(() => runs >= 3);
});

test('the first run of a periodic task does not wait for the whole interval', async () => {
  let runs = 0;
  run({ everySeconds: 10, run: async () => (runs += 1) });
  await until(() => runs >= 1);
  expect(runs).toBe(1);
});

test('a run of a periodic task that fails is reported, and the next one comes', async () => {
  let runs = 0;
  const fail = async () => {
    runs += 1;
    throw new Error(`run ${runs}`);
  };
  run({ name: 'sweep', run: fail });
  await until(() => errors.length >= 2);
  expect(errors.slice(0, 2)).toEqual(['sweep: Error: run 1', 'sweep: Error: run 2']);
});

test('a periodic task never runs twice at the same time, and does not delay the others', async () => {
  const gate = new Gate();
  let slow = 0;
  let quick = 0;
  run(
    {
      run: () => {
        slow += 1;
        return gate.opened;
      },
    },
    { run: async () => (quick += 1) },
  );
  await until(() => quick >= 5 && slow >= 1);
  expect(slow).toBe(1);
  gate.open();
});

test('stopping periodic tasks signals those that run, waits for them, and starts no other', async () => {
  const gate = new Gate();
  const seen: string[] = [];
  const tasks = run({
    run: async (stopping) => {
      seen.push(`begun ${stopping.aborted}`);
      await gate.opened;
      seen.push(`ended ${stopping.aborted}`);
    },
  });
  await until(() => seen.length === 1);
  const stopped = tasks.stop().then(() => seen.push('stopped'));
  gate.open();
  await stopped;
  expect(seen).toEqual(['begun false', 'ended true', 'stopped']);
});

test('stopping periodic tasks does not wait for the next run of a task', async () => {
  let runs = 0;
  const tasks = run({ everySeconds: 10, run: async () => (runs += 1) }, { everySeconds: 86_400 });
  await until(() => runs === 1);
  await tasks.stop();
  expect(runs).toBe(1);
});
