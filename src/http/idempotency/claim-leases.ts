import type { BeforeApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { CLAIM_LEASE_SECONDS, reclaimKeys } from '../../core/idempotency/claim-key.js';
import type { Claim } from '../../core/idempotency/idempotency-store.js';
import type { Ports } from '../../core/ports.js';
import { MINUTE, SECOND } from '../../core/shared/clock.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';

/** Twice within a lease, leaving time for a slow database. */
const RENEW_EVERY_MS = (CLAIM_LEASE_SECONDS * SECOND) / 3;
/** A run that has not ended by then is given up: its lease expires. If it is still alive, it can commit only as long as nobody took over. */
const RUNS_FOR_MS = 5 * MINUTE;

/**
 * The claims on idempotency keys held by requests of this process. One statement renews all leases periodically, as long as the process is
 * alive; the claims of a dead process are reclaimed when another starts.
 */
@Injectable()
export class ClaimLeases implements OnModuleInit, BeforeApplicationShutdown {
  /** Since when each is held, by `performance.now()`. */
  private readonly held = new Map<Claim, number>();
  private timer: NodeJS.Timeout | undefined;
  private stopShowing: (() => Promise<void>) | undefined;

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  /** Before the first request is taken. */
  async onModuleInit(): Promise<void> {
    this.stopShowing = await this.ports.idempotency.showAlive();
    await reclaimKeys(this.ports).catch(this.warn);
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  /** What is still held is left to the next process. The ports are closed at the shutdown itself. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.stopShowing?.();
  }

  /** Renews the lease of a claim while `work` runs. */
  async during<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    this.held.set(claim, performance.now());
    try {
      return await work();
    } finally {
      this.held.delete(claim);
    }
  }

  /** Renews the lease of every claim in use. */
  async renew(): Promise<void> {
    const youngest = performance.now() - RUNS_FOR_MS;
    const claims = [...this.held].flatMap(([claim, since]) => (since > youngest ? [claim] : []));
    if (claims.length > 0) await this.ports.idempotency.renew(claims, CLAIM_LEASE_SECONDS).catch(this.warn);
  }

  private readonly warn = (error: unknown): void => {
    this.options.logger.warn({ err: error }, 'the leases of Idempotency-Keys could not be stored');
  };
}
