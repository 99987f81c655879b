import type { NextFunction, Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { isForPrograms } from './for-programs.js';
import { headersOf } from './headers.js';
import { requestContextOf } from './request-context.js';

/** A name or an address, in brackets if it contains colons, and optionally a port (RFC 9110 §7.2; our own names need no other characters). */
const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Accepts requests that name one host (RFC 9112 §3.2). Pages are only served for the host of PUBLIC_URL and loopback: under another name
 * that resolves to this address, somebody else's page would have the same origin as ours (DNS rebinding).
 */
export function requireHost({ addresses }: Pick<Ports, 'addresses'>) {
  const own = new URL(addresses.publicUrl).hostname;
  return (request: Request, _: Response, next: NextFunction): void => {
    next(refusalOf(request, own) ?? undefined);
  };
}

function refusalOf(request: Request, own: string): DomainError | null {
  const hosts = headersOf(request, 'host');
  // HTTP/1.0 has no Host. A 1.1 request without one does not arrive here: Node refuses it.
  if (hosts === undefined) return null;
  const [host = ''] = hosts;
  if (hosts.length > 1 || !HOST.test(host)) return invalidHost();
  if (isForPrograms(requestContextOf(request), request)) return null;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === own || LOOPBACK.test(name) ? null : foreignHost();
}

function invalidHost(): DomainError {
  return new DomainError('invalid_request', 'Send one Host header with a name or an address, and optionally a port.');
}

function foreignHost(): DomainError {
  const message =
    'Pages are served only under the address of PUBLIC_URL. If this address is correct, set PUBLIC_URL to it; a proxy must forward the Host header.';
  return new DomainError('invalid_request', message);
}
