import { Reflector } from '@nestjs/core';
import type { Model } from '../fields/declared.js';
import type { BodyRules } from '../requests/read-request.js';
import { type Controller, type RouteWithHandler, routesOf } from '../route-table.js';
import { fieldSchemas, modelRef } from './models.js';
import {
  type Content,
  json,
  type Method,
  type Operation,
  type Parameter,
  type Paths,
  ROUTE_DOCUMENT,
  type RouteDocument,
  type Success,
  type SuccessDocument,
} from './operation.js';
import { idempotencyKey } from './parameters.js';
import type { Schema } from './schema.js';

const reflector = new Reflector();

/** The documented routes of these controllers, in the order of their methods. */
export function controllerPaths(controllers: readonly unknown[]): Paths {
  const paths: Record<string, Partial<Record<Method, Operation>>> = {};
  for (const route of controllers.flatMap((controller) => routesOf(controller as Controller, reflector))) {
    const document = reflector.get<RouteDocument | undefined>(ROUTE_DOCUMENT, route.handler);
    if (document === undefined) continue;
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
    const method = route.method.toLowerCase() as Method;
    paths[path] = { ...paths[path], [method]: operationOf(route, method, document) };
  }
  return paths;
}

function operationOf(route: RouteWithHandler, method: Method, document: RouteDocument): Operation {
  const { path = [], headers = [], body, streamed, answers, ...rest } = document;
  const scope = route.access?.needs === 'scope' ? route.access.scope : null;
  const parameters = [...path, ...(route.query ? queryParameters(route.query) : []), ...headers];
  if (scope !== null && method !== 'get') parameters.push(idempotencyKey);
  return {
    ...rest,
    scope,
    parameters,
    ...(body !== undefined && { body: requestBody(body, route.body, streamed) }),
    answers: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, success(answer)])),
  };
}

function queryParameters(query: Model): Parameter[] {
  return Object.entries(fieldSchemas(query)).map(([name, { description, ...schema }]): Parameter => {
    const list = schema['type'] === 'array' ? ({ style: 'form', explode: false } as const) : {};
    return { name, in: 'query', description: String(description), schema, ...list };
  });
}

function requestBody(
  description: string,
  rules: BodyRules | undefined,
  streamed: Readonly<Record<string, Content>> = {},
): NonNullable<Operation['body']> {
  const schema = rules && oneOf([rules.shape, ...(rules.bulk ? [rules.bulk.shape] : [])]);
  const types = [...(rules?.json ?? [])].reverse();
  const content = Object.fromEntries(types.map((type) => [type, { schema: schema ?? {} }]));
  return { description, required: !rules?.optional, content: { ...content, ...streamed } };
}

function success({ description, body, content, headers }: SuccessDocument): Success {
  const schema = Array.isArray(body) ? oneOf(body) : body && schemaOf(body as Model);
  return {
    description,
    ...(content && { content }),
    ...(schema && { content: json(schema) }),
    ...(headers && { headers }),
  };
}

function schemaOf(body: Model | Schema): Schema {
  return typeof body === 'function' ? modelRef(body) : body;
}

function oneOf(models: readonly Model[]): Schema {
  const refs = models.map(modelRef);
  return refs.length === 1 ? (refs[0] as Schema) : { oneOf: refs };
}
