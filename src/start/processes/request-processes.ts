import cluster from 'node:cluster';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { ProcessMetrics } from '../../adapters/metrics/process-metrics.js';
import { ipcChannel, Rpc } from '../../adapters/primary-process/rpc.js';
import type { Config } from '../../config/config.js';
import type { Environment } from '../../config/environment-reader.js';
import { atMost, DRAIN_MS, LINGER_MS } from '../serving/listener.js';

/** A process that ends sooner than this after its start is replaced after a pause, which grows each time. */
const SETTLED_MS = 60_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000];
/** The longest time that a process may take to stop, in addition to what its requests may take. */
const STOP_MARGIN_MS = 10_000;

/** One of so many, and its successors. */
interface Slot {
  current: RequestProcess | null;
  isReloading: boolean;
  /** Processes that ended soon after their start, in a row. */
  failures: number;
}

/** The processes that answer requests: one that ends is replaced. */
export class RequestProcesses {
  private readonly slots: readonly Slot[];
  /** The processes that have not ended, whether they have a slot or not. */
  private readonly alive = new Set<RequestProcess>();
  private readonly stopping = new AbortController();
  private reloading: Promise<void> = Promise.resolve();

  constructor(
    count: number,
    private readonly launch: () => RequestProcess,
    /** Null without METRICS_PORT. */
    private readonly metrics: ProcessMetrics | null,
    private readonly logger: Logger,
  ) {
    this.slots = Array.from({ length: count }, () => ({ current: null, isReloading: false, failures: 0 }));
  }

  /** Resolves when all answer requests. Rejects with the message of one that cannot start. */
  async start(): Promise<void> {
    await Promise.all(this.slots.map((slot) => this.fill(slot)));
  }

  /**
   * Replaces one after another, each by one that answers requests already. Those whose requests take longer than a drain end when they
   * have answered them.
   */
  reload(): Promise<void> {
    this.reloading = this.reloading.then(async () => {
      this.logger.info('processes are replaced, one after another');
      try {
        for (const slot of this.slots) if (!this.isStopping) await this.reloadOne(slot);
        this.logger.info('all processes were replaced');
      } catch (error) {
        this.logger.error({ err: error }, 'a new process cannot start: the earlier ones continue');
      }
    });
    return this.reloading;
  }

  /** Resolves when all have ended: those that have not stopped in time are killed. */
  async stop(reason: string): Promise<void> {
    this.stopping.abort();
    const patience = (reason === 'SIGTERM' ? LINGER_MS : 0) + DRAIN_MS + STOP_MARGIN_MS;
    await Promise.all([...this.alive].map((each) => this.retire(each, reason, patience)));
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  private async fill(slot: Slot): Promise<void> {
    const process = this.launch();
    const { number, pid, calls } = process;
    this.alive.add(process);
    this.metrics?.add(number, () => calls.call('report', null));
    const startedAt = performance.now();
    void process.ended.then((how) => this.noteEnd(slot, process, how, performance.now() - startedAt));
    try {
      await process.start();
    } catch (error) {
      process.kill();
      await process.ended;
      throw error;
    }
    this.logger.info({ number, pid }, 'a process answers requests');
    slot.current = process;
    this.tellCounts();
  }

  private async noteEnd(slot: Slot, process: RequestProcess, how: string, livedMs: number): Promise<void> {
    this.alive.delete(process);
    await this.metrics?.remove(process.number);
    if (slot.current !== process || this.isStopping) return;
    slot.current = null;
    slot.failures = livedMs < SETTLED_MS ? slot.failures + 1 : 0;
    const { number, pid } = process;
    this.logger.error({ number, pid, how }, 'a process ended, and is replaced');
    this.tellCounts();
    if (!slot.isReloading) await this.refill(slot);
  }

  /** Until it succeeds. */
  private async refill(slot: Slot): Promise<void> {
    while (slot.current === null && !this.isStopping) {
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** (slot.failures - 2), LONGEST_PAUSE_MS);
      const { signal } = this.stopping;
      if (slot.failures > 1) await delay(pause, undefined, { signal }).catch(() => undefined);
      if (this.isStopping) return;
      await this.fill(slot).catch((error) => {
        slot.failures += 1;
        if (!this.isStopping) this.logger.error({ err: error }, 'a process cannot be replaced yet');
      });
    }
  }

  private async reloadOne(slot: Slot): Promise<void> {
    const before = slot.current;
    slot.isReloading = true;
    try {
      await this.fill(slot);
    } finally {
      slot.isReloading = false;
      // The earlier one may have ended meanwhile.
      if (slot.current === null) void this.refill(slot);
    }
    if (before !== null) await atMost(DRAIN_MS, this.retire(before, 'replaced'));
  }

  /** @param patience Milliseconds after which it is killed. */
  private async retire(process: RequestProcess, reason: string, patience?: number): Promise<void> {
    const stopped = process.stop(reason).catch(() => undefined);
    await (patience === undefined ? stopped : atMost(patience, stopped));
    await this.metrics?.update(process.number);
    process.end();
    await atMost(STOP_MARGIN_MS, process.ended);
    process.kill();
    await process.ended;
  }

  private tellCounts(): void {
    const current = this.slots.flatMap(({ current }) => current ?? []);
    const now: ProcessCounts = { ready: current.length, wanted: this.slots.length };
    for (const { calls } of current) calls.call('count', now).catch(() => undefined);
  }
}

type RequestProcess = ReturnType<typeof startRequestProcess>;

/**
 * Starts a process that shares the listening address: node:cluster, where the primary accepts connections and distributes them in turn.
 * @param env The settings. They are sent over the channel: the environment of a process may be readable for others.
 * @param hidden Names of variables that are only sent.
 */
export function startRequestProcess({ dataDir }: Pick<Config, 'dataDir'>, env: Environment, hidden: readonly string[]) {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./request-process.js', import.meta.url)),
    // For people who look at a list of processes.
    args: [resolve(dataDir)],
    serialization: 'advanced',
  });
  const worker = cluster.fork(Object.fromEntries(hidden.map((name) => [name, undefined])));
  const calls = new Rpc(ipcChannel(worker.process));
  const loaded = new Promise<void>((load) => calls.serve({ loaded: async () => load() }));
  const ended = new Promise<string>((end) => {
    worker.on('error', (error) => end(error.message));
    worker.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  });
  return {
    number: worker.id,
    pid: worker.process.pid ?? 0,
    calls,
    /** Resolves when it has ended, with a description. */
    ended,
    /** Rejects with its message if it cannot start; it may not have ended then. */
    async start() {
      // Once it has ended, the call is rejected.
      await Promise.race([loaded, ended]);
      await calls.call('start', { env, number: worker.id } satisfies StartParams);
    },
    /** Resolves when it has answered its last request. It has not ended then. */
    async stop(reason: StopParams['reason']) {
      await Promise.race([loaded, ended]);
      await calls.call('stop', { reason } satisfies StopParams);
    },
    /** Ends it, in order if it has stopped: without its channel, a process of a cluster exits. */
    end: () => worker.process.connected && worker.process.disconnect(),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/** Params of `start`, the first call to a request process. */
export interface StartParams {
  readonly env: Environment;
  /** In its log lines. */
  readonly number: number;
}

/** Params of `stop`, the last one. */
export interface StopParams {
  /** `replaced`: another process has taken its place; otherwise why the whole service stops. */
  readonly reason: string;
}

/** Params of `count`: processes that answer requests now, and as many as there should be. */
export interface ProcessCounts {
  readonly ready: number;
  readonly wanted: number;
}
