import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { type SentPicture, TrafficCounter } from '../../core/traffic/counter.js';
import type { Channel } from '../../core/traffic/traffic.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { PeriodicRecorder } from '../server/periodic-recorder.js';
import { knownKeyOf, type RequestContext, requestContextOf } from '../server/request-context.js';

const FLUSH_MS = 5 * SECOND;

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

  /** Counts a picture that was sent to whoever had its address. */
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
