import { MODULE_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/internal.js';
import { Reflector } from '@nestjs/core';
import {
  DOCUMENT_TAG,
  type DocumentTagOptions,
  PATH_PARAMETERS,
  type Parameter,
  ROUTE_DOCUMENT,
  type RouteDocument,
  type SuccessDocument,
} from '../../../src/api/openapi/operation.js';
import { ifMatchHeader, ifNoneMatchHeader } from '../../../src/api/openapi/parameters.js';
import type { ErrorCode } from '../../../src/core/shared/errors.js';
import { scopeOf } from '../../../src/http/access.js';
import type { Model, Schema } from '../../../src/http/fields/declared.js';
import { IfMatch, WITH_ETAG } from '../../../src/http/responses/reply.js';
import { type Controller, type Route, routesOf } from '../../../src/http/route-table.js';
import { fieldSchemas, modelRef } from './models.js';

const reflector = new Reflector();

/** The controllers of a module and of those that it imports. */
export function controllersOf(module: object): Controller[] {
  const own: Controller[] = Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, module) ?? [];
  const imported: object[] = Reflect.getMetadata(MODULE_METADATA.IMPORTS, module) ?? [];
  return [...own, ...imported.flatMap(controllersOf)];
}

/**
 * The documented routes of these controllers, in the order of their methods.
 * @param idempotencyKey The parameter of writes.
 */
export function controllerPaths(controllers: readonly Controller[], idempotencyKey: Parameter) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const controller of controllers) {
    const tag = documentTag(controller)?.name;
    for (const route of routesOf(controller, reflector)) {
      const document = reflector.get<RouteDocument | undefined>(ROUTE_DOCUMENT, route.handler);
      if (document === undefined) continue;
      if (tag === undefined) throw new Error(`${controller.name} documents routes and has no DocumentTag`);
      const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
      const method = route.method.toLowerCase();
      paths[path] = { ...paths[path], [method]: operationOf(controller, route, tag, document, idempotencyKey) };
    }
  }
  return paths;
}

export function documentTags(controllers: readonly Controller[]): DocumentTagOptions[] {
  const tags = controllers.flatMap((controller) => documentTag(controller) ?? []);
  return tags.filter(({ description }) => description !== undefined);
}

function documentTag(controller: Controller): DocumentTagOptions | undefined {
  return reflector.get<DocumentTagOptions | undefined>(DOCUMENT_TAG, controller);
}

/** Whether a handler has the parameter `IfMatch`, which Nest knows by what makes its value. */
function hasIfMatch(controller: object, handler: string): boolean {
  class Sample {}
  IfMatch()(Sample.prototype, 'handler', 0);
  const makers = (type: object, name: string) => {
    const parameters: { readonly factory?: unknown }[] = Object.values(
      Reflect.getMetadata(ROUTE_ARGS_METADATA, type, name) ?? {},
    );
    return parameters.map(({ factory }) => factory);
  };
  return makers(controller, handler).includes(makers(Sample, 'handler')[0]);
}

/** One method of one path, without what follows from its kind. */
export type Operation = ReturnType<typeof operationOf>;

function operationOf(
  controller: Controller,
  route: Route,
  tag: string,
  document: RouteDocument,
  idempotencyKey: Parameter,
) {
  const { headers: ownHeaders = [], body, streamed, errors: ownErrors = [], ...rest } = document;
  const scope = scopeOf(route.access);
  const known: readonly Parameter[] = reflector.get(PATH_PARAMETERS, controller) ?? [];
  const path = document.path ?? known.filter(({ name }) => route.path.split('/').includes(`:${name}`));
  const query = Object.entries(route.query ? fieldSchemas(route.query) : {}).map(([name, field]): Parameter => {
    const { description: meaning, ...schema } = field;
    const list = schema['type'] === 'array' ? ({ style: 'form', explode: false } as const) : {};
    return { name, in: 'query', description: String(meaning), schema, ...list };
  });
  const isPrecise = hasIfMatch(controller, route.handler.name);
  const hasETag = reflector.get<true | undefined>(WITH_ETAG, route.handler) ?? false;
  const isRead = route.method === 'GET';
  const parameters = [
    ...path,
    ...query,
    ...(isPrecise ? [ifMatchHeader] : []),
    ...(hasETag && isRead ? [ifNoneMatchHeader] : []),
    ...ownHeaders,
    ...(scope !== null && !isRead ? [idempotencyKey] : []),
  ];
  const rules = route.body;
  const schema = rules && oneOf([rules.shape, ...(rules.bulk ? [rules.bulk.shape] : [])]);
  const types = [...(rules?.json ?? [])].reverse().map((type) => [type, { schema: schema ?? {} }]);
  const content = { ...Object.fromEntries(types), ...streamed };
  const answers = Object.entries(document.answers).map(
    ([status, { headers = [], ...answer }]): [string, SuccessDocument] => {
      return [status, { ...answer, headers: hasETag ? ['ETag', ...headers] : headers }];
    },
  );
  if (hasETag && isRead) {
    const never = query.some(({ name }) => name === 'include') ? ' Never returned with `include`.' : '';
    const [, { description, headers = [] }] = answers[0] as [string, SuccessDocument];
    answers.push(['304', { description: `${description.split('.')[0]} has not changed.${never}`, headers }]);
  }
  const errors: ErrorCode[] = [
    ...(scope !== null && path.length > 0 ? (['not_found'] as const) : []),
    ...(query.some(({ name }) => name === 'cursor') ? (['invalid_cursor'] as const) : []),
    ...(isPrecise ? (['precondition_failed'] as const) : []),
    ...ownErrors,
  ];
  return {
    ...rest,
    tag,
    scope,
    parameters,
    ...(body !== undefined && { body: { description: body, required: !rules?.optional, content } }),
    answers: Object.fromEntries(answers.map(([status, answer]) => [status, success(answer)])),
    errors,
  };
}

function success({ description, body, content, headers = [] }: SuccessDocument) {
  const schema = Array.isArray(body) ? oneOf(body) : typeof body === 'function' ? modelRef(body) : (body as Schema);
  return {
    description,
    ...((schema || content) && { content: { ...(schema && { 'application/json': { schema } }), ...content } }),
    headers,
  };
}

function oneOf(models: readonly Model[]): Schema {
  const refs = models.map(modelRef);
  return refs.length === 1 ? (refs[0] as Schema) : { oneOf: refs };
}
