import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { DAY } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Share } from '../../core/shares/share.js';
import { enterShare, isAdmitted, KNOWN_DAYS, openShare, requireVisitBudget } from '../../core/shares/visits.js';
import { TrafficRecorder } from '../guards/traffic-recorder.js';
import { PORTS } from '../ports-token.js';
import { requestContextOf } from '../server/request-context.js';
import { cookieOf, isSecure } from '../settings/browser-session.js';
import { sharePath } from './share-paths.js';

const PASS_COOKIE = 'phs_share';

/** Who follows the link of a share: a budget, the link, and the password if it has one, in this order. */
@Injectable()
export class Visitors {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  /** The share that a visitor may see. Errors: `rate_limited`, `not_found`, `url_forbidden` (the password is missing). */
  async open(request: Request, token: string): Promise<Share> {
    const share = await this.find(request, token);
    if (this.isAdmitted(request, share)) return share;
    throw new DomainError('url_forbidden', 'Open the page of this link first, and enter its password.');
  }

  /** The share of the link, whether or not the visitor may see it. Errors: `rate_limited`, `not_found`. */
  async find(request: Request, token: string): Promise<Share> {
    request.res?.setHeader('X-Robots-Tag', 'noindex, nofollow');
    await requireVisitBudget(this.ports, requestContextOf(request).clientIp);
    const share = await openShare(this.ports, token);
    if (request.res) this.traffic.followBytes(request, request.res, share.customerId, 'shares');
    return share;
  }

  isAdmitted(request: Request, share: Share): boolean {
    return isAdmitted(this.ports, share, cookieOf(request, PASS_COOKIE));
  }

  /** Gives the browser a cookie that is sent for this link alone. Errors: `unauthorized`, `rate_limited`. */
  async enter(response: Response, token: string, share: Share, password: string): Promise<void> {
    const address = requestContextOf(response.req).clientIp;
    const pass = await enterShare(this.ports, share, { password, address, pass: cookieOf(response.req, PASS_COOKIE) });
    response.cookie(PASS_COOKIE, pass, {
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure(this.ports),
      path: `${this.ports.addresses.basePath}${sharePath(token)}`,
      // Longer than it admits: a browser that has entered before is not locked out by the guesses of others.
      maxAge: KNOWN_DAYS * DAY,
    });
  }
}
