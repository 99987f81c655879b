import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Request, Response } from 'express';
import { DomainError, notFound } from '../../core/shared/errors.js';
import { publicHtml } from '../server/base-path.js';
import { headerOf } from '../server/request.js';
import { noneMatch } from './reply.js';

const METHODS = 'GET, HEAD, OPTIONS';

/** The address changes with the bytes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The documentation, which the build writes beside the program (bin/docs). */
export const site = new URL('../../../dist/site/', import.meta.url);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

let paths: ReadonlySet<string> | undefined;

export function sitePaths(): ReadonlySet<string> {
  const all = () => readdirSync(site, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  paths ??= new Set(all().filter((path) => extname(path) in types));
  return paths;
}

/** Read on first request: a service that only serves the API keeps none of it in memory. */
const read = new Map<string, ReturnType<typeof fileUnder>>();

/** Sends a file of the documentation, which is the same for everyone, or 304. Errors: `not_found`. */
export function sendPublic(request: Request, response: Response, path: string, caching = 'public, no-cache'): void {
  if (!sitePaths().has(path)) throw notFound('page');
  const name = `${request.baseUrl}/${path}`;
  const { bytes, entityTag } = read.get(name) ?? fileUnder(request, path);
  read.set(name, { bytes, entityTag });
  response.setHeader('ETag', entityTag);
  response.setHeader('Cache-Control', caching);
  response.vary('Accept-Encoding');
  if (!noneMatch(headerOf(request, 'if-none-match'), entityTag)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', types[extname(path)] ?? '');
  response.end(bytes);
}

/** A file with a strong tag, and with the links and, of an OpenAPI document, the server of a service whose PUBLIC_URL has a path. */
function fileUnder(request: Request, path: string) {
  const bytes = withBasePath(request, path, readFileSync(new URL(path, site)));
  return { bytes, entityTag: `"${hash('sha256', bytes).slice(0, 32)}"` };
}

function withBasePath(request: Request, path: string, bytes: Buffer): Buffer {
  const { baseUrl } = request;
  if (baseUrl === '') return bytes;
  if (path.endsWith('.html')) return Buffer.from(publicHtml(request, bytes.toString()));
  if (!path.startsWith('openapi')) return bytes;
  const text = bytes.toString().replace('"url": "/"', `"url": "${baseUrl}"`);
  return Buffer.from(text.replaceAll('](/docs', `](${baseUrl}/docs`));
}

/** Answers OPTIONS, and other methods, with the supported methods. Errors: `method_not_allowed`. */
export function sendMethods({ method }: Request, response: Response): void {
  response.setHeader('Allow', METHODS);
  if (method !== 'OPTIONS') {
    throw new DomainError('method_not_allowed', `${method} is not supported here. Allowed: ${METHODS}.`);
  }
  response.status(204).end();
}
