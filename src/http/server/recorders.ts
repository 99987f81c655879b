import { type BeforeApplicationShutdown, Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { type Channel, type SentPicture, TrafficCounter } from '../../core/traffic/traffic.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { knownKeyOf, type RequestContext, requestContextOf } from './request-context.js';

/** Notes in memory what requests did, and writes it in batches, the last one when the service ends: no request waits for it. */
export abstract class PeriodicRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly everyMs: number) {}

  /** Writes what was noted so far. Does not fail. */
  abstract flush(): Promise<void>;

  onModuleInit(): void {
    this.timer = setInterval(() => void this.flush(), this.everyMs).unref();
  }

  /** The ports are closed at the shutdown itself. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }
}

export const FLUSH_MS = 5 * SECOND;

/** Counts the requests of keys, delivered pictures, and bytes, in memory; written in batches, so no request waits for it. */
@Injectable()
export class TrafficRecorder extends PeriodicRecorder {
  private readonly counter = new TrafficCounter();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {
    super(FLUSH_MS);
  }

  /** Counts a request of a known key once its response is sent, whatever its result. */
  follow(request: Request, response: Response): void {
    const requestContext = requestContextOf(request);
    const { customerId, id: apiKeyId } = knownKeyOf(requestContext).key;
    requestContext.account = { customerId, channel: 'api' };
    response.once('close', () => {
      this.noteTransfer(requestContext);
      this.counter.note({
        customerId,
        apiKeyId,
        requestId: requestContext.requestId,
        at: this.ports.clock.now(),
        method: request.method,
        route: request.route?.path ?? null,
        status: response.statusCode,
        code: requestContext.refusal,
      });
    });
  }

  /** Counts the bytes of a request and its response for an account, whatever the result. Further calls have no effect. */
  followBytes(request: Request, response: Response, customerId: Id, channel: Channel): void {
    const requestContext = requestContextOf(request);
    if (requestContext.account !== null) return;
    requestContext.account = { customerId, channel };
    response.once('close', () => this.noteTransfer(requestContext));
  }

  /** Counts a picture that was sent to anyone who had its address. */
  notePicture(picture: Omit<SentPicture, 'at'>): void {
    this.counter.notePicture({ ...picture, at: this.ports.clock.now() });
  }

  private noteTransfer({ account, transferred, sentByFront }: RequestContext): void {
    if (account === null) return;
    const { receivedBytes, sentBytes } = transferred;
    const bytes = { receivedBytes, sentBytes: sentBytes + sentByFront };
    this.counter.noteTransfer({ ...account, at: this.ports.clock.now(), ...bytes });
  }

  /** Writes what was counted so far. What cannot be written now is written the next time. */
  override flush(): Promise<void> {
    this.writing = this.writing.then(async () => {
      const tally = this.counter.take();
      if (tally === null) return;
      await this.ports.traffic.add(tally).catch((error: unknown) => {
        this.counter.putBack(tally);
        this.options.logger.warn({ err: error }, 'request counts could not be stored');
      });
    });
    return this.writing;
  }
}

/** When and from where each key was used, written in batches: no request waits for it. */
@Injectable()
export class KeyUseRecorder extends PeriodicRecorder {
  private pending = new Map<string, { id: Id; at: Date; ip: string }>();

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {
    super(30 * SECOND);
  }

  note(id: Id, ip: string): void {
    this.pending.set(`${id} ${ip}`, { id, at: this.ports.clock.now(), ip });
  }

  /** Best effort: what cannot be written now is dropped, the next use records it again. */
  override async flush(): Promise<void> {
    const uses = [...this.pending.values()];
    this.pending = new Map();
    if (uses.length === 0) return;
    await this.ports.keys.touch(uses).catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'the last use of keys could not be stored');
    });
  }
}
