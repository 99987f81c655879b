import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { DomainError } from '../../core/shared/errors.js';
import { headerOf } from '../requests/headers.js';
import { noneMatch } from '../responses/entity-tag.js';
import { publicHtml } from '../server/base-path.js';
import type { PublicFile } from './documents.js';

/** Methods that public documents support. */
const METHODS = 'GET, HEAD, OPTIONS';

/** Cache it, and revalidate. */
export const REVALIDATE = 'public, no-cache';
/** The address changes with the bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

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
