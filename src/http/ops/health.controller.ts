import { Controller, Get, Header, Inject } from '@nestjs/common';
import { NoKeyRequired } from '../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { Reply } from '../responses/reply.js';

/** For load balancers and supervisors. */
@Controller()
@NoKeyRequired()
export class HealthController {
  constructor(@Inject(HTTP_OPTIONS) private readonly options: HttpOptions) {}

  /** The process is alive. */
  @Get('healthz')
  @Header('Cache-Control', 'no-store')
  health(): object {
    return { status: 'ok' };
  }

  /** Ready for traffic: 503 while it stops, or lacks something that every request needs. Lists each check. */
  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  async readiness(): Promise<Reply> {
    const report = await this.options.readiness.report();
    const serves = report.status === 'ready' || report.status === 'degraded';
    return new Reply(serves ? 200 : 503, report);
  }
}
