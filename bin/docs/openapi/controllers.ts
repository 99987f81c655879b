import { MODULE_METADATA } from '@nestjs/common/internal.js';
import { Reflector } from '@nestjs/core';
import {
  DOCUMENT_TAG,
  type DocumentTagOptions,
  json,
  type Method,
  type Operation,
  type Parameter,
  type Paths,
  ROUTE_DOCUMENT,
  type RouteDocument,
  type Success,
  type SuccessDocument,
} from '../../../src/api/openapi/operation.js';
import { scopeOf } from '../../../src/http/access.js';
import type { Model, Schema } from '../../../src/http/fields/declared.js';
import { type Controller, type RouteWithHandler, routesOf } from '../../../src/http/route-table.js';
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
export function controllerPaths(controllers: readonly Controller[], idempotencyKey: Parameter): Paths {
  const paths: Record<string, Partial<Record<Method, Operation>>> = {};
  for (const controller of controllers) {
    const tag = documentTag(controller)?.name;
    for (const route of routesOf(controller, reflector)) {
      const document = reflector.get<RouteDocument | undefined>(ROUTE_DOCUMENT, route.handler);
      if (document === undefined) continue;
      if (tag === undefined) throw new Error(`${controller.name} documents routes and has no DocumentTag`);
      const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
      const method = route.method.toLowerCase() as Method;
      paths[path] = { ...paths[path], [method]: operationOf(route, method, tag, document, idempotencyKey) };
    }
  }
  return paths;
}

/** The groups that these controllers describe. */
export function documentTags(controllers: readonly Controller[]): DocumentTagOptions[] {
  return controllers.flatMap((controller) => {
    const tag = documentTag(controller);
    return tag?.description === undefined ? [] : [tag];
  });
}

function documentTag(controller: Controller): DocumentTagOptions | undefined {
  return reflector.get<DocumentTagOptions | undefined>(DOCUMENT_TAG, controller);
}

function operationOf(
  route: RouteWithHandler,
  method: Method,
  tag: string,
  document: RouteDocument,
  idempotencyKey: Parameter,
): Operation {
  const { path = [], headers = [], body, streamed, answers, ...rest } = document;
  const scope = scopeOf(route.access);
  const query = Object.entries(route.query ? fieldSchemas(route.query) : {}).map(([name, field]): Parameter => {
    const { description: meaning, ...schema } = field;
    const list = schema['type'] === 'array' ? ({ style: 'form', explode: false } as const) : {};
    return { name, in: 'query', description: String(meaning), schema, ...list };
  });
  const parameters = [...path, ...query, ...headers];
  if (scope !== null && method !== 'get') parameters.push(idempotencyKey);
  const rules = route.body;
  const schema = rules && oneOf([rules.shape, ...(rules.bulk ? [rules.bulk.shape] : [])]);
  const types = [...(rules?.json ?? [])].reverse().map((type) => [type, { schema: schema ?? {} }]);
  const content = { ...Object.fromEntries(types), ...streamed };
  return {
    ...rest,
    tag,
    scope,
    parameters,
    ...(body !== undefined && { body: { description: body, required: !rules?.optional, content } }),
    answers: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, success(answer)])),
  };
}

function success({ description, body, content, headers }: SuccessDocument): Success {
  const schema = Array.isArray(body) ? oneOf(body) : typeof body === 'function' ? modelRef(body) : (body as Schema);
  return {
    description,
    ...((schema || content) && { content: { ...(schema && json(schema)), ...content } }),
    ...(headers && { headers }),
  };
}

function oneOf(models: readonly Model[]): Schema {
  const refs = models.map(modelRef);
  return refs.length === 1 ? (refs[0] as Schema) : { oneOf: refs };
}
