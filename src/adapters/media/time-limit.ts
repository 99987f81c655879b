import { processorTime } from './processor-time.js';

/** However long a process waits for a processor: its picture holds a slot that others wait for. */
const MOST_EXTENSIONS = 10;
const SHORTEST_EXTENSION_MS = 100;

/**
 * The time that a process may take. One that had to wait for a processor, which those of the lowest priority do on a busy machine, gets what
 * it was not given, up to ten times the limit in all. One that is stuck gets nothing: at the end of the limit it neither runs nor would.
 */
export class TimeLimit {
  readonly #from = Date.now();
  readonly #usedBefore: number;
  #timer: NodeJS.Timeout;

  constructor(
    private readonly pid: () => number,
    private readonly milliseconds: number,
    private readonly exceeded: () => void,
  ) {
    this.#usedBefore = processorTime(pid())?.used ?? 0;
    this.#timer = setTimeout(() => this.#end(), milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    const extension = this.#due();
    if (extension === 0) this.exceeded();
    else this.#timer = setTimeout(() => this.#end(), extension);
  }

  /** Milliseconds that the process was not given. */
  #due(): number {
    const time = processorTime(this.pid());
    const left = MOST_EXTENSIONS * this.milliseconds - (Date.now() - this.#from);
    if (!time?.isActive || left <= 0) return 0;
    const missing = this.milliseconds - (time.used - this.#usedBefore);
    return missing <= 0 ? 0 : Math.min(left, Math.max(missing, SHORTEST_EXTENSION_MS));
  }
}
