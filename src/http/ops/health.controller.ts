import { Controller, Get, Header, Inject } from '@nestjs/common';
import { NeedsNoKey } from '../api/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { Reply } from '../reply.js';

/** For load balancers and supervisors. */
@Controller()
@NeedsNoKey()
export class HealthController {
  constructor(@Inject(HTTP_OPTIONS) private readonly options: HttpOptions) {}

  /** The process lives. */
  @Get('healthz')
  @Header('Cache-Control', 'no-store')
  health(): object {
    return { status: 'ok' };
  }

  /** It wants traffic: 503 while it stops, or cannot reach what it needs. */
  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  async readiness(): Promise<Reply> {
    const ready = await this.options.isReady();
    return ready ? new Reply(200, { status: 'ready' }) : new Reply(503, { status: 'not_ready' });
  }
}
