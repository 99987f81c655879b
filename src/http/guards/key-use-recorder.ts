import { Inject, Injectable } from '@nestjs/common';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { PeriodicRecorder } from '../server/periodic-recorder.js';

const FLUSH_MS = 30 * SECOND;

/** When and from where each key was used, written in batches: no request waits for it. */
@Injectable()
export class KeyUseRecorder extends PeriodicRecorder {
  private pending = new Map<string, { id: Id; at: Date; ip: string }>();

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {
    super(FLUSH_MS);
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
