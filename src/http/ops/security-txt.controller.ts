import { All, Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { after, DAY } from '../../core/shared/clock.js';
import { NoKeyRequired } from '../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { sendMethods } from '../responses/send-public.js';

const PATH = '/.well-known/security.txt';

/** How long a copy of it is valid. RFC 9116 §2.5.5 recommends less than a year. */
const VALID_DAYS = 180;

/**
 * Where to report a vulnerability of this installation (RFC 9116): the operator's own contacts, and nothing that the operator has not
 * configured.
 */
@Controller(PATH)
@NoKeyRequired()
export class SecurityTxtController {
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
    const fields = [
      ...(this.options.securityContacts ?? []).map((uri) => ['Contact', uri]),
      ['Expires', midnight(after(clock.now(), VALID_DAYS * DAY)).toISOString()],
      // Only https counts there (§2.5.2).
      ...(publicUrl.startsWith('https:') ? canonical(publicUrl).map((uri) => ['Canonical', uri]) : []),
    ];
    return fields.map(([name, value]) => `${name}: ${value}\n`).join('');
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

/** The start of the day (UTC), so that the file is the same all day. */
function midnight(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY) * DAY);
}

/** Where it is, and, if PUBLIC_URL has a path, where readers look for it: a proxy can serve it there. */
function canonical(publicUrl: string): readonly string[] {
  return [...new Set([`${publicUrl}${PATH}`, new URL(PATH, publicUrl).href])];
}
