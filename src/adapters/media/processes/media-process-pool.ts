import type { DecoderPriority, WantedIsolation } from '../../../core/media/media-reader.js';
import { DomainError } from '../../../core/shared/errors.js';
import { usageOf } from '../../process-usage.js';
import { Lazy } from '../../shared-work.js';
import { chooseIsolation, type Isolation, type ProgramFiles } from '../isolation/isolation.js';
import { MediaProcess, type ProcessBounds } from './media-process.js';
import { openScratch, type Scratch } from './scratch.js';

export interface PoolOptions extends ProcessBounds {
  readonly scratchDir: string;
  /** Processes that are kept; one more is started when it is needed, and ended after its picture. */
  readonly processes: number;
  /** Time that a process is kept that nothing asks for. */
  readonly idleMs: number;
  readonly isolation: WantedIsolation;
  readonly priority: DecoderPriority;
  /** Called for every process that is replaced: it died, or was killed (`died`), or used much memory when idle (`grown`). Must not throw. */
  readonly onReplaced: (cause: 'died' | 'grown') => void;
}

/** Memory that an idle process may use; above, it is replaced, so that one large picture does not use memory permanently. */
const IDLE_MEMORY_BYTES = 300 * 1024 ** 2;

/** The processes that read pictures: started when needed, used again, replaced when they have died or grown, ended when long idle. */
export class MediaProcessPool {
  readonly #processes = new Set<MediaProcess>();
  /** With the timers that end them. Those that were used last are taken first, so that the others can end. */
  readonly #idle: { readonly process: MediaProcess; readonly end: NodeJS.Timeout }[] = [];
  readonly scratch = new Lazy(() => openScratch(this.options.scratchDir));
  /** Chosen once, by starting a process, which is then the first to be used. */
  readonly isolation = new Lazy(async () => {
    const scratch = await this.scratch.get();
    return chooseIsolation(this.options.isolation, this.options.priority, async (isolation) => {
      // Its folder could not be created, or given to another account.
      const process = await this.#new(scratch, isolation).catch(({ cause, message }: Error) =>
        cause instanceof Error ? cause.message : message,
      );
      if (typeof process === 'string') return process;
      const reason = await process.started();
      if (reason === null && !this.#closed) this.#keepIdle(process);
      else await this.#discard(process);
      return reason;
    });
  });
  #names = 0;
  #closed = false;

  constructor(
    private readonly program: ProgramFiles,
    private readonly options: PoolOptions,
  ) {}

  get processes(): readonly { readonly pid: number; readonly busy: boolean }[] {
    return [...this.#processes].map(({ pid, busy }) => ({ pid, busy }));
  }

  /** Gives `work` a process of its own, and to that the file of a picture, unless it gets its bytes. */
  async use<T>(file: string | null, work: (process: MediaProcess) => Promise<T>): Promise<T> {
    const scratch = await this.scratch.get();
    const process = await this.#idleOrNew(scratch, (await this.isolation.get()).isolation);
    try {
      if (file !== null) await process.folder.handOver(file);
      return await work(process);
    } finally {
      const isEmptied =
        file === null ||
        (await process.folder.takeBack().then(
          () => true,
          () => false,
        ));
      const { alive } = process;
      const isGrown = alive && ((usageOf(process.pid)?.memory ?? 0) > IDLE_MEMORY_BYTES || process.isWornOut);
      // The slot that is reserved for a customer without one adds one process, for as long as it is needed.
      const isOneTooMany = this.#processes.size > this.options.processes;
      if (this.#closed || (alive && isOneTooMany)) {
        await this.#discard(process);
      } else if (alive && isEmptied && !isGrown) {
        this.#keepIdle(process);
      } else {
        this.options.onReplaced(alive ? 'grown' : 'died');
        await this.#discard(process);
      }
    }
  }

  /** Ends the processes that are idle, so that a picture has all memory for itself. */
  async endIdle(): Promise<void> {
    for (let idle = this.#takeIdle(); idle !== undefined; idle = this.#takeIdle()) await this.#discard(idle);
  }

  /** Ends all processes, whatever they are doing. From then on none is started: `service_unavailable`. */
  async end(): Promise<void> {
    this.#closed = true;
    for (const { end } of this.#idle.splice(0)) clearTimeout(end);
    await Promise.all([...this.#processes].map((process) => process.end()));
  }

  /** Removes all pictures, and the folders of all processes, which are forgotten. Call it when nothing uses a process. */
  async removeFiles(): Promise<void> {
    this.#processes.clear();
    await (await this.scratch.opened)?.removeAll();
  }

  async #idleOrNew(scratch: Scratch, isolation: Isolation): Promise<MediaProcess> {
    for (let idle = this.#takeIdle(); idle !== undefined; idle = this.#takeIdle()) {
      if (idle.alive) return idle;
      await this.#discard(idle);
    }
    return this.#new(scratch, isolation);
  }

  #keepIdle(process: MediaProcess): void {
    const end = setTimeout(() => {
      const at = this.#idle.findIndex((each) => each.process === process);
      this.#idle.splice(at, 1);
      void this.#discard(process);
    }, this.options.idleMs);
    this.#idle.push({ process, end: end.unref() });
  }

  #takeIdle(): MediaProcess | undefined {
    const idle = this.#idle.pop();
    clearTimeout(idle?.end);
    return idle?.process;
  }

  async #new(scratch: Scratch, isolation: Isolation): Promise<MediaProcess> {
    this.#names += 1;
    const owner = isolation.nextOwner();
    const folder = await scratch.folder(`process-${this.#names}`, owner);
    if (this.#closed) throw closed();
    const process = new MediaProcess(
      isolation.launch(this.program, folder.path, owner, this.options),
      folder,
      this.options,
    );
    this.#processes.add(process);
    return process;
  }

  async #discard(process: MediaProcess): Promise<void> {
    this.#processes.delete(process);
    await process.end();
    // What cannot be removed now is removed with the others at last, or by the next start.
    await process.folder.remove().catch(() => undefined);
  }
}

export function closed(): DomainError {
  return new DomainError('service_unavailable', 'The media reader is closed.');
}
