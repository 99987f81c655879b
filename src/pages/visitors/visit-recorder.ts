import { Inject, Injectable } from '@nestjs/common';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import type { Share } from '../../core/shares/share.js';
import { recordVisits, type Visits } from '../../core/shares/visitors.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { FLUSH_MS, PeriodicRecorder } from '../../http/server/recorders.js';

/** Visits of shares, counted in memory and written in batches: no visitor waits for it, and a link that many follow is not one row to wait for. */
@Injectable()
export class VisitRecorder extends PeriodicRecorder {
  private pending = new Map<Id, Visits>();

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {
    super(FLUSH_MS);
  }

  note({ customerId, id }: Share): void {
    const count = (this.pending.get(id)?.count ?? 0) + 1;
    this.pending.set(id, { customerId, shareId: id, count, lastAt: this.ports.clock.now() });
  }

  /** Best effort: what cannot be written now is dropped. */
  override async flush(): Promise<void> {
    const visits = [...this.pending.values()];
    this.pending = new Map();
    for (const each of visits) {
      await recordVisits(this.ports, each).catch((error: unknown) => {
        this.options.logger.warn({ err: error }, 'visits of a share could not be stored');
      });
    }
  }
}
