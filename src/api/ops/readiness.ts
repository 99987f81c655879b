import { setTimeout as delay } from 'node:timers/promises';

/** A dependency of requests. */
export interface ReadinessCheck {
  /** Its name in `/readyz`. */
  readonly name: string;
  /** The effect when it is unavailable: `failed`, no traffic for this process; `degraded`, only reported. */
  readonly otherwise: 'failed' | 'degraded';
  /** Rejects when it is unavailable. May hang: it is not awaited. */
  look(): Promise<unknown>;
}

export const READINESS_CHECKS = Symbol('ReadinessChecks');

export type Finding = 'ok' | ReadinessCheck['otherwise'];

const DEADLINE_MS = 3000;
/** Time for which a result is cached, so that frequent requests do not burden the dependencies. */
const FRESH_MS = 1000;

/**
 * Whether this process is ready for traffic. A check has `deadlineMs`, and there is one at a time, however many requests there are and
 * however long it hangs.
 * @param onChange Called for every result that differs from the previous one, which is `ok` at first. Must not throw.
 */
export class Readiness {
  private readonly watched: readonly Watched[];

  constructor(
    checks: readonly ReadinessCheck[],
    private readonly stopping: AbortSignal,
    onChange: (name: string, finding: Finding, reason?: unknown) => void = () => undefined,
    deadlineMs: number = DEADLINE_MS,
  ) {
    this.watched = checks.map((check) => new Watched(check, deadlineMs, onChange));
  }

  async report(): Promise<{
    status: 'ready' | 'degraded' | 'not_ready' | 'stopping';
    checks: Record<string, Finding>;
  }> {
    if (this.stopping.aborted) return { status: 'stopping', checks: {} };
    const found = await Promise.all(this.watched.map(async (check) => [check.name, await check.find()] as const));
    const findings = found.map(([, finding]) => finding);
    const bad = findings.includes('failed') ? 'not_ready' : findings.includes('degraded') ? 'degraded' : 'ready';
    return { status: this.stopping.aborted ? 'stopping' : bad, checks: Object.fromEntries(found) };
  }
}

class Watched {
  private asked = Number.NEGATIVE_INFINITY;
  private answer: Promise<Finding> = Promise.resolve('ok');
  private underWay: Promise<unknown> | null = null;
  private last: Finding = 'ok';

  constructor(
    private readonly check: ReadinessCheck,
    private readonly deadlineMs: number,
    private readonly onChange: (name: string, finding: Finding, reason?: unknown) => void,
  ) {}

  get name(): string {
    return this.check.name;
  }

  find(): Promise<Finding> {
    if (performance.now() - this.asked >= FRESH_MS) {
      this.asked = performance.now();
      this.answer = this.look();
    }
    return this.answer;
  }

  private async look(): Promise<Finding> {
    const done = new AbortController();
    try {
      this.underWay ??= this.check.look().finally(() => {
        this.underWay = null;
      });
      const late = delay(this.deadlineMs, undefined, { signal: done.signal }).then(() => {
        throw new Error(`no response within ${this.deadlineMs} ms`);
      });
      await Promise.race([this.underWay, late]);
      return this.is('ok');
    } catch (error) {
      return this.is(this.check.otherwise, error);
    } finally {
      done.abort();
    }
  }

  private is(finding: Finding, reason?: unknown): Finding {
    if (finding !== this.last) this.onChange(this.name, finding, reason);
    this.last = finding;
    return finding;
  }
}
