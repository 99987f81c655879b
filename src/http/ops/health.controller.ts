import { Controller, Get, Header, Inject } from '@nestjs/common';
import { NoKeyRequired } from '../access.js';
import { Reply } from '../responses/reply.js';
import { Readiness } from './readiness.js';

/** For load balancers and supervisors. */
@Controller()
@NoKeyRequired()
export class HealthController {
  constructor(@Inject(Readiness) private readonly state: Readiness) {}

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
    const report = await this.state.report();
    const serves = report.status === 'ready' || report.status === 'degraded';
    return new Reply(serves ? 200 : 503, report);
  }
}
