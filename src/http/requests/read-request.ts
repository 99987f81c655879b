import { applyDecorators, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Ports, Uses } from '../../core/ports.js';
import { DomainError, type FieldError, requireValid } from '../../core/shared/errors.js';
import { parseId } from '../../core/shared/ids.js';
import type { Model } from '../fields/declared.js';
import { isPlainObject } from '../fields/fields.js';
import { PORTS } from '../ports-token.js';
import { bodyTooLarge, discardBody, hasBody, headerOf, readBody } from '../server/request.js';
import { requestContextOf, requestParameter } from '../server/request-context.js';
import { type BodyClass, inOrder, JSON_BODY_BYTES, maxValuesOf, parseJson, readShape } from './json-body.js';
import { listIn, MAX_IDS, type ParsedQuery, parametersOf, parseQuery, pathIdOf } from './parameters.js';

export interface BodyRules {
  readonly shape: BodyClass;
  /** The schema of a body that has this field. */
  readonly bulk?: { readonly field: string; readonly shape: BodyClass };
  readonly maxBytes: number;
  /** Media types that are read as JSON. */
  readonly json: readonly string[];
  /** No body means `{}`. */
  readonly optional: boolean;
  /** Another media type, of which only the beginning is read before the handler. */
  readonly streamed?: {
    readonly type: string;
    readonly maxBytes: (uses: Uses<'limits'>) => number;
    readonly open: (request: Request, maxBytes: number) => Promise<StreamedBody>;
  };
}

/** A body that the handler continues to read. */
export interface StreamedBody {
  /** The values at its beginning. */
  readonly inputs: unknown;
  /** Stops reading. Call it at the end, whether or not the body was read. */
  leave(): Promise<void>;
}

export function isStreamed(body: unknown): body is StreamedBody {
  return typeof body === 'object' && body !== null && 'leave' in body && typeof body.leave === 'function';
}

const PARAMETERS = Symbol('ParameterTable');
const PARAMETER_RULE = Symbol('ParameterRule');
const BODY = Symbol('BodyRules');

const ID_LIST = Symbol('IdList');

/** Errors of parameters that are valid individually; `sent` has the names of the others, too. */
export type ParameterRule<Query> = (
  parameters: Query,
  request: { readonly sent: ReadonlySet<string>; readonly body: unknown },
) => readonly FieldError[];

/** Declares the query parameters of a route. Without it, the route accepts none. */
export const QuerySchema = <Query extends object>(query: new () => Query, rule?: ParameterRule<Query>) =>
  applyDecorators(SetMetadata(PARAMETERS, query), SetMetadata(PARAMETER_RULE, rule));

/** Declares the JSON body of a route. Without it, a body is ignored. */
export const BodySchema = (shape: BodyClass, rules: Partial<BodyRules> = {}) =>
  SetMetadata<symbol, BodyRules>(BODY, {
    shape,
    maxBytes: JSON_BODY_BYTES,
    json: ['application/json'],
    optional: false,
    ...rules,
  });

/** A JSON body that is merged into the resource (RFC 7396). */
export const PatchSchema = (shape: BodyClass) =>
  BodySchema(shape, { json: ['application/json', 'application/merge-patch+json'] });

/** Declares that `:id` in the path of a route may be a list. */
export const AcceptsIdList = () => SetMetadata(ID_LIST, true);

export function declaredQuery(reflector: Reflector, handler: Handler): Model | undefined {
  return reflector.get<Model | undefined>(PARAMETERS, handler);
}

export function declaredBody(reflector: Reflector, handler: Handler): BodyRules | undefined {
  return reflector.get<BodyRules | undefined>(BODY, handler);
}

type Handler = ReturnType<ExecutionContext['getHandler']>;

export const ValidQuery = requestParameter((request) => requestContextOf(request).parameters);

export const ValidBody = requestParameter((request) => requestContextOf(request).body);

/**
 * Steps 7 and 8 of the order of checks (docs/architecture.md), after the guards: size and type of the body, then all errors in path,
 * parameters and body that do not depend on the library, in one response: those of the schemas as well as those that core finds in the
 * values.
 */
@Injectable()
export class ReadRequest {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(PORTS) private readonly ports: Ports,
  ) {}

  /** Stores what it read in the request context. Errors: those of the steps. */
  async read(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
    const requestContext = requestContextOf(request);
    const rules = declaredBody(this.reflector, context.getHandler());
    const sent = rules ? await this.bodyOf(request, rules).catch(asFieldErrors) : { body: undefined, errors: [] };
    if (rules === undefined && hasBody(request)) discardBody(request);
    requestContext.body = sent.body;
    const parameters = this.parametersOf(context, request, sent.body);
    requestContext.parameters = parameters.values;
    requireValid([...idListErrors(this.reflector, context), ...parameters.errors, ...sent.errors]);
  }

  private parametersOf(context: ExecutionContext, request: Request, body: unknown): ParsedQuery {
    const query = declaredQuery(this.reflector, context.getHandler());
    const table = query ? parametersOf(query) : {};
    const rule = this.reflector.get<ParameterRule<object> | undefined>(PARAMETER_RULE, context.getHandler());
    const [, ...afterPath] = request.originalUrl.split('?');
    const { values, errors, sent } = parseQuery(afterPath.join('?'), table);
    const together = rule?.(values, { sent, body }) ?? [];
    return { values, errors: inOrder([...errors, ...together], [...sent]), sent };
  }

  /** Call it at the end in any case: stops reading a body that is still open. */
  leave(context: ExecutionContext): void {
    const request = context.switchToHttp().getRequest<Request>();
    const { body } = requestContextOf(request);
    if (isStreamed(body)) void body.leave().then(() => discardBody(request));
  }

  private async bodyOf(request: Request, rules: BodyRules): Promise<ParsedBody> {
    const type = mediaType(request);
    if (!hasBody(request) && rules.optional) return { body: new rules.shape(), errors: [] };
    if (type === null || headerOf(request, 'content-encoding') !== undefined) throw unacceptable(rules);
    if (type === rules.streamed?.type) {
      const maxBytes = rules.streamed.maxBytes(this.ports);
      if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
      const { open } = rules.streamed;
      return { body: await open(request, maxBytes), errors: [] };
    }
    if (!rules.json.includes(type)) throw unacceptable(rules);
    const bytes = await readBody(request, rules.maxBytes);
    if (bytes.length === 0) {
      if (rules.optional) return { body: new rules.shape(), errors: [] };
      return {
        body: undefined,
        errors: [{ field: 'body', code: 'required', message: 'This request requires a JSON body.' }],
      };
    }
    const value = parseJson(bytes, 'body', maxValuesOf(rules.maxBytes));
    const isBulk = rules.bulk !== undefined && isPlainObject(value) && Object.hasOwn(value, rules.bulk.field);
    const about = { id: pathIdOf(request, 'id'), limits: this.ports.limits };
    return readShape(value, isBulk ? rules.bulk.shape : rules.shape, about);
  }
}

/** Errors of the list of ids of a request, if its route accepts one: too long, or with If-Match, which is about one resource. */
function idListErrors(reflector: Reflector, context: ExecutionContext): FieldError[] {
  if (!reflector.get<true | undefined>(ID_LIST, context.getHandler())) return [];
  const request = context.switchToHttp().getRequest<Request>();
  const { texts, hasComma } = listIn(request.params['id']);
  if (texts.length > MAX_IDS) {
    const message = `The path can contain at most ${MAX_IDS} ids, separated by commas.`;
    return [{ field: 'id', code: 'too_many', message, max: MAX_IDS }];
  }
  // To `PathIds` it is a list only if all are ids.
  const isList = hasComma && texts.every((text) => parseId(text) !== null);
  if (!isList || headerOf(request, 'if-match') === undefined) return [];
  return [{ field: 'If-Match', code: 'conflict', message: 'If-Match is not supported with a list of ids.' }];
}

interface ParsedBody {
  readonly body: unknown;
  readonly errors: readonly FieldError[];
}

/** Errors of the fields of a body are told with those of the other parts; any other error of reading it is thrown. */
function asFieldErrors(error: unknown): ParsedBody {
  const errors = error instanceof DomainError && error.code === 'invalid_request' && error.details?.['errors'];
  if (!errors) throw error;
  return { body: undefined, errors: errors as readonly FieldError[] };
}

/**
 * The media type in lower case, without parameters; null when there is none or its charset is not UTF-8. A request without a body is
 * treated as JSON.
 */
function mediaType(request: Request): string | null {
  const header = headerOf(request, 'content-type');
  if (header === undefined) return hasBody(request) ? null : 'application/json';
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return charset === undefined || /^"?utf-?8"?$/.test(charset) ? type : null;
}

function unacceptable(rules: BodyRules): DomainError {
  const accepted = [...rules.json, ...(rules.streamed ? [rules.streamed.type] : [])];
  const message = `Send the body as ${accepted.join(' or ')}, in UTF-8 and without Content-Encoding.`;
  return new DomainError('unsupported_media_type', message, { accepted });
}
