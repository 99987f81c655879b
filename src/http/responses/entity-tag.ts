import { hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { DomainError } from '../../core/shared/errors.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { headerOf } from '../server/headers.js';

/** Fields that only a parameter or a bulk tool adds: a plain GET has none of them, so no tag depends on them. */
const EXTRAS = ['urls', 'exif', 'photos', 'changes'];

/** The strong tag of a resource: a hash of what a plain GET returns. */
export function entityTag(view: object): string {
  const plain = isPlain(view)
    ? view
    : Object.fromEntries(Object.entries(view).filter(([name]) => !EXTRAS.includes(name)));
  return `"${hash('sha256', JSON.stringify(plain)).slice(0, 32)}"`;
}

export function isPlain(view: object): boolean {
  return EXTRAS.every((name) => !Object.hasOwn(view, name));
}

/** `If-None-Match` (RFC 9110 §13.1.2): weak comparison; several header lines are one list. */
export function noneMatch(header: string | undefined, tag: string): boolean {
  return header === undefined || !tagsIn(header).some((one) => one === '*' || opaque(one) === opaque(tag));
}

/**
 * `If-Match` (RFC 9110 §13.1.1), but by weak comparison: proxies that compress put `W/` before our tag, and a client behind one could not
 * write at all. The tag is a hash of the representation, so nothing is lost. Errors: `precondition_failed`.
 */
export function requireMatch(header: string | undefined, currentEtag: string): void {
  if (header === undefined || tagsIn(header).some((one) => one === '*' || opaque(one) === currentEtag)) return;
  const message = 'The resource does not match If-Match. Retrieve it again first.';
  throw new DomainError('precondition_failed', message, { currentEtag });
}

function tagsIn(header: string): string[] {
  return header.match(/\*|(?:W\/)?"[^"]*"/g) ?? [];
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}

/** Creates the precondition of `If-Match` from the view that clients know the resource by. */
export type IfMatchPrecondition = <T>(view: (current: T) => object) => Precondition<T>;

/** The `If-Match` of a request that changes one resource. Without the header any state is accepted. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): IfMatchPrecondition => {
  const header = headerOf(context.switchToHttp().getRequest<Request>(), 'if-match');
  return (view) => (current) => {
    if (header !== undefined) requireMatch(header, entityTag(view(current)));
  };
});
