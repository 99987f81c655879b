/* @rest */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { processorTime, TimeLimit } from '../../src/adapters/process-usage.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300;
const FOREVER = ['-e', 'for (;;);'];
const children: ChildProcess[] = [];

/** A process on one processor, at a priority of sched(7). */
function onOneProcessor(policy: '--idle' | '--other', program: readonly string[]): number {
  const [processor = '0'] =
    /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.slice(1) ?? [];
  const args = ['-c', processor, 'chrt', policy, '0', process.execPath, ...program];
  const child = spawn('taskset', args, { stdio: 'ignore' });
  children.push(child);
  return child.pid ?? 0;
}
/**
 * One after another, the last first. A process at the idle priority that dies beside one that takes its processor was seen to stop whoever
 * waits for it, in the kernel (`release_task`), for as long as the other ran.
 */
afterEach(async () => {
  for (const child of children.splice(0).reverse()) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
});

/** What has passed, and what the process has run, in milliseconds, when its time is over. */
async function ended(pid: number): Promise<{ elapsed: number; ran: number }> {
  const [begun, before] = [Date.now(), processorTime(pid)?.used ?? 0];
  await new Promise<void>((resolve) => new TimeLimit(() => pid, LIMIT_MS, resolve));
  return { elapsed: Date.now() - begun, ran: (processorTime(pid)?.used ?? 0) - before };
}

const isRunning = (pid: number) => () => (processorTime(pid)?.used ?? 0) > 100;

test('a process that waits for a processor gets the time that it was not given, up to ten times its limit in all', async () => {
  const pid = onOneProcessor('--idle', FOREVER);
  await until(isRunning(pid));
  const rival = onOneProcessor('--other', FOREVER);
  await until(isRunning(rival));
  const { elapsed, ran } = await ended(pid);
  expect(ran >= LIMIT_MS || elapsed >= 10 * LIMIT_MS).toBe(true);
});

test('a process that neither runs nor would gets no more than its limit', async () => {
  const pid = onOneProcessor('--other', FOREVER);
  await until(isRunning(pid));
  process.kill(pid, 'SIGSTOP');
  await until(() => processorTime(pid)?.isActive === false);
  const { elapsed, ran } = await ended(pid);
  expect(ran).toBe(0);
  expect(elapsed).toBeLessThan(10 * LIMIT_MS);
});

test('a process that has ended gets no more than its limit', async () => {
  expect((await ended(0)).elapsed).toBeLessThan(10 * LIMIT_MS);
});
