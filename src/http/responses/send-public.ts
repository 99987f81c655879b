import { createHash, hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { DomainError } from '../../core/shared/errors.js';
import { publicHtml } from '../server/base-path.js';
import { headerOf } from '../server/headers.js';
import { noneMatch } from './reply.js';

/** Methods that public documents support. */
const METHODS = 'GET, HEAD, OPTIONS';

/** Cache it, and revalidate. */
export const REVALIDATE = 'public, no-cache';
/** The address changes with the bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** A file that is the same for everyone, with its strong tag. */
export interface PublicFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly entityTag: string;
}

/** Everything is made on first request: a service that only serves the API keeps none of it in memory. */
const made = new Map<string, PublicFile>();

/** The file of this name, which is made once. */
export function publicFile(name: string, type: string, make: () => Buffer): PublicFile {
  const known = made.get(name);
  if (known) return known;
  const bytes = make();
  const entityTag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const file = { type, bytes, entityTag };
  made.set(name, file);
  return file;
}

/** Sends a file that is the same for everyone, or 304. */
export function sendPublic(request: Request, response: Response, file: PublicFile, caching: string): void {
  const entityTag = tagUnder(request.baseUrl, file);
  response.setHeader('ETag', entityTag);
  response.setHeader('Cache-Control', caching);
  response.vary('Accept-Encoding');
  if (!noneMatch(headerOf(request, 'if-none-match'), entityTag)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', file.type);
  response.end(isPage(file) ? publicHtml(request, file.bytes.toString()) : file.bytes);
}

const isPage = ({ type }: PublicFile) => type.startsWith('text/html');

/** The links of a page depend on the path of PUBLIC_URL. */
function tagUnder(basePath: string, file: PublicFile): string {
  if (basePath === '' || !isPage(file)) return file.entityTag;
  return `"${hash('sha256', `${basePath} ${file.entityTag}`).slice(0, 32)}"`;
}

/** Answers OPTIONS, and other methods, with the supported methods. Errors: `method_not_allowed`. */
export function sendMethods({ method }: Request, response: Response): void {
  response.setHeader('Allow', METHODS);
  if (method !== 'OPTIONS') {
    throw new DomainError('method_not_allowed', `${method} is not supported here. Allowed: ${METHODS}.`);
  }
  response.status(204).end();
}
