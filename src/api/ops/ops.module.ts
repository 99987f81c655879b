import { All, Controller, type DynamicModule, Get, Header, Inject, Module, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { after, DAY } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { Reply } from '../../http/responses/reply.js';
import { sendMethods } from '../../http/responses/send-public.js';
import { prefersHtml } from '../../http/server/request-context.js';
import { READINESS_CHECKS, Readiness, type ReadinessCheck } from './readiness.js';

/** For load balancers and supervisors. */
@Controller()
@NoKeyRequired()
class HealthController {
  constructor(@Inject(Readiness) private readonly state: Readiness) {}

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

/** For people who enter only the host name. */
@Controller()
@NoKeyRequired()
class RootController {
  @Get()
  show(@Req() request: Request): Reply {
    if (!prefersHtml(request)) throw new DomainError('not_found', 'This path does not exist.');
    return new Reply(303, undefined, { Location: '/settings', Vary: 'Accept', 'Cache-Control': 'no-store' });
  }
}

const PATH = '/.well-known/security.txt';

/**
 * Where to report a vulnerability of this installation (RFC 9116): the operator's own contacts, and nothing that the operator has not
 * configured.
 */
@Controller(PATH)
@NoKeyRequired()
class SecurityTxtController {
  constructor(
    @Inject(PORTS) private readonly ports: Pick<Ports, 'clock' | 'addresses'>,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  show(): string {
    const { clock, addresses } = this.ports;
    const { publicUrl } = addresses;
    // In half a year: RFC 9116 §2.5.5 recommends less than a year. The start of the day (UTC), so that the file is the same all day.
    const expires = new Date(Math.floor(after(clock.now(), 180 * DAY).getTime() / DAY) * DAY);
    // Where it is, and, if PUBLIC_URL has a path, where readers look for it: a proxy can serve it there. Only https counts (§2.5.2).
    const places = publicUrl.startsWith('https:') ? [`${publicUrl}${PATH}`, new URL(PATH, publicUrl).href] : [];
    const fields = [
      ...(this.options.securityContacts ?? []).map((uri) => ['Contact', uri]),
      ['Expires', expires.toISOString()],
      ...[...new Set(places)].map((uri) => ['Canonical', uri]),
    ];
    return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

export interface OpsOptions extends Pick<HttpOptions, 'securityContacts'> {
  /** Makes what says whether this process is ready for traffic, from the checks of what the ports rely on. */
  readiness(checks: readonly ReadinessCheck[]): Readiness;
}

@Module({})
export class OpsModule {
  /** A controller with nothing to serve is not registered: its path is as unknown as any other. */
  static with({ readiness, securityContacts = [] }: OpsOptions): DynamicModule {
    return {
      module: OpsModule,
      providers: [{ provide: Readiness, inject: [READINESS_CHECKS], useFactory: readiness }],
      controllers: [HealthController, RootController, ...(securityContacts.length > 0 ? [SecurityTxtController] : [])],
    };
  }
}
