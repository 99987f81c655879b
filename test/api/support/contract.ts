import { readFileSync, statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { openApiDocument } from '../../../bin/docs/openapi/apis.js';
import { headers as contractHeaders } from '../../../src/api/openapi/headers.js';
import type { Parameter } from '../../../src/api/openapi/operation.js';
import { cachedInWorker } from '../../support/worker-cache.js';

/** One exchange, as a client saw it. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[]>>;
  /** As it went out; null when there was none, or none that is kept. */
  readonly requestBytes: Uint8Array | null;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly bytes: Uint8Array;
}

type Document = ReturnType<typeof openApiDocument>;

interface Response {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Route {
  readonly template: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Statuses with which a request to no operation of the document ends, all with an error but for OPTIONS. 400: its Host is none. */
const WITHOUT_OPERATION = [400, 401, 403, 404, 405, 429, 500, 503];

let loaded: Contract | undefined;
let operators: Contract | undefined;

/** Throws what of an exchange is not as the OpenAPI document says. Paths that it is not about pass. */
export function requireContract(exchange: Exchange): void {
  // What Node's parser refuses never came to the service.
  if (exchange.headers['x-request-id'] === undefined) return;
  const { method, path, status } = exchange;
  const contract = /^\/operator\/v1(\/|$)/.test(path) ? operatorContract() : customerContract();
  const faults = contract.faultsIn(exchange);
  if (faults.length === 0) return;
  const sent = exchange.requestBytes ? `\nsent: ${excerpt(exchange.requestBytes)}` : '';
  throw new Error(
    `${method} ${path} → ${status} is not as ${contract.name} says:\n- ${faults.join('\n- ')}${sent}\nanswered: ${excerpt(exchange.bytes)}`,
  );
}

/** Throws what of the body of a webhook is not as the OpenAPI document says. */
export function requireEvent(body: string): void {
  const faults = customerContract().faultsInEvent(JSON.parse(body));
  if (faults.length > 0) throw new Error(`An event is not as openapi.json says:\n- ${faults.join('\n- ')}\n${body}`);
}

function customerContract(): Contract {
  loaded ??= new Contract('openapi.json', /^\/(api\/v1|uploads|renditions|img)(\/|$)/);
  return loaded;
}

function operatorContract(): Contract {
  operators ??= new Contract('openapi-operator.json', /^\/operator\/v1(\/|$)/);
  return operators;
}

/** The document, with every response and event closed: what it does not name must not be sent. */
class Contract {
  private readonly document: Document;
  private readonly ajv: Ajv2020;
  private readonly validators: Map<string, ValidateFunction>;
  private readonly routes: readonly Route[];

  /** @param paths That the document is about. */
  constructor(
    readonly name: string,
    private readonly paths: RegExp,
  ) {
    ({ document: this.document, ajv: this.ajv, validators: this.validators } = compiled(name));
    this.routes = Object.entries(this.document.paths).map(([template, operations]) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{[A-Za-z]+\}/g, '([^/]+)')}$`),
      names: [...template.matchAll(/\{([A-Za-z]+)\}/g)].map(([, each]) => String(each)),
      operations: operations as unknown as Readonly<Record<string, Operation>>,
    }));
  }

  faultsIn(exchange: Exchange): string[] {
    const [path = '', ...query] = exchange.path.split('?');
    if (!this.paths.test(path)) return [];
    const route = this.routes.find(({ pattern }) => pattern.test(path));
    const isHead = exchange.method === 'HEAD';
    const own = exchange.method.toLowerCase();
    const method = isHead && !route?.operations[own] ? 'get' : own;
    const operation = route?.operations[method];
    if (!route || !operation) return this.faultsWithoutOperation(exchange);
    const at = `/paths/${escaped(route.template)}/${method}`;
    const response = operation.responses[exchange.status];
    if (!response) return [`status ${exchange.status} is not documented`];
    const isSuccess = exchange.status >= 200 && exchange.status < 300;
    return [
      ...this.responseFaults(exchange, response, `${at}/responses/${exchange.status}`, isHead),
      ...(isSuccess ? this.requestFaults(exchange, operation, at, query.join('?')) : []),
      ...(isSuccess ? this.pathFaults(route, operation, at, path) : []),
    ];
  }

  faultsInEvent(event: { readonly type: string }): string[] {
    if (!Object.hasOwn(this.document.webhooks, event.type)) return [`type ${event.type} is not documented`];
    return this.faults(`/webhooks/${event.type}/post/requestBody/content/application~1json/schema`, event, 'body');
  }

  private faultsWithoutOperation(exchange: Exchange): string[] {
    if (exchange.method === 'OPTIONS' && exchange.status === 204) return [];
    if (!WITHOUT_OPERATION.includes(exchange.status))
      return [`status ${exchange.status}, and there is no such operation`];
    if (exchange.method === 'HEAD') return [];
    return this.faults('/components/schemas/Error', jsonOf(exchange.bytes), 'body');
  }

  private responseFaults(
    exchange: Exchange,
    response: Operation['responses'][string],
    at: string,
    isHead: boolean,
  ): string[] {
    const pointer = '$ref' in response ? response.$ref.slice(1) : at;
    const { headers = {}, content } = '$ref' in response ? (this.at(pointer) as Response) : response;
    return [
      ...this.headerFaults(exchange.headers, Object.keys(headers)),
      ...(isHead ? [] : this.bodyFaults(exchange, content, pointer)),
    ];
  }

  private headerFaults(sent: IncomingHttpHeaders, documented: readonly string[]): string[] {
    return Object.keys(this.document.components.headers).flatMap((name) => {
      const value = sent[name.toLowerCase()];
      const rules = this.document.components.headers[name as keyof typeof contractHeaders] as { required?: boolean };
      if (value === undefined) {
        return documented.includes(name) && rules.required ? [`header ${name} is missing`] : [];
      }
      if (!documented.includes(name)) return [`header ${name} is not documented`];
      return this.faults(`/components/headers/${name}/schema`, coerced(String(value)), `header ${name}`, String(value));
    });
  }

  private bodyFaults({ headers, ...sent }: Exchange, content: Response['content'], pointer: string): string[] {
    const bytes = decoded(sent.bytes, headers['content-encoding']);
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
    if (!content) return bytes.length === 0 ? [] : ['a body is not documented'];
    const [documented] = Object.keys(content).filter((one) => new RegExp(`^${one.replace('*', '.+')}$`).test(type));
    if (documented === undefined) return [`content type ${type} is not documented`];
    if (documented !== 'application/json') return [];
    return this.faults(`${pointer}/content/${escaped(documented)}/schema`, jsonOf(bytes), 'body');
  }

  /** What was taken must have been as the document asks for. */
  private requestFaults(exchange: Exchange, operation: Operation, at: string, query: string): string[] {
    const parameters = operation.parameters ?? [];
    const sent = new URLSearchParams(query);
    const unknown = [...sent.keys()].filter(
      (name) => !parameters.some((one) => one.in === 'query' && one.name === name),
    );
    const wrong = parameters.flatMap((parameter, index) => {
      const value =
        parameter.in === 'query' ? sent.get(parameter.name) : exchange.requestHeaders[parameter.name.toLowerCase()];
      if (parameter.in === 'path' || value === null || value === undefined) return [];
      const text = String(value);
      const parts = parameter.explode === false ? text.split(',') : null;
      const read = parts ? parts.map(coerced) : coerced(text);
      return this.faults(`${at}/parameters/${index}/schema`, read, `parameter ${parameter.name}`, parts ?? text);
    });
    return [
      ...unknown.map((name) => `parameter ${name} was taken and is not documented`),
      ...wrong,
      ...this.requestBodyFaults(exchange, operation, at),
    ];
  }

  private pathFaults(route: Route, operation: Operation, at: string, path: string): string[] {
    const values = route.pattern.exec(path)?.slice(1) ?? [];
    return (operation.parameters ?? []).flatMap((parameter, index) => {
      if (parameter.in !== 'path') return [];
      const value = decodeURIComponent(values[route.names.indexOf(parameter.name)] ?? '');
      return this.faults(`${at}/parameters/${index}/schema`, coerced(value), `parameter ${parameter.name}`, value);
    });
  }

  private requestBodyFaults(
    { requestHeaders, requestBytes, bytes }: Exchange,
    operation: Operation,
    at: string,
  ): string[] {
    const { requestBody } = operation;
    if (!requestBody || !requestBytes || requestBytes.length === 0) {
      return requestBody?.required && requestBytes !== null
        ? ['a body is required, and the request without was taken']
        : [];
    }
    const type =
      String(requestHeaders['content-type'] ?? '')
        .split(';')[0]
        ?.trim()
        .toLowerCase() ?? '';
    const accepts = Object.keys(requestBody.content);
    if (accepts.includes('*/*')) return [];
    if (!accepts.includes(type)) return [`a request of type ${type} was taken and is not documented`];
    if (!/^application\/(.+\+)?json$/.test(type)) return [];
    const sent = withoutRejected(cleaned(jsonOf(requestBytes)), jsonOf(bytes));
    return this.faults(`${at}/requestBody/content/${escaped(type)}/schema`, sent, 'request');
  }

  /** With `text`, what a value was read from: it may stand for itself. */
  private faults(pointer: string, value: unknown, what: string, text?: unknown): string[] {
    const validate = this.validator(pointer);
    if (validate(value) || (text !== undefined && validate(text))) return [];
    validate(value);
    return (validate.errors ?? []).slice(-3).map((error) => {
      const named = Object.values(error.params).filter((one) => typeof one === 'string');
      return `${what}${error.instancePath} ${error.message} ${named.join(', ')}`.trim();
    });
  }

  private validator(pointer: string): ValidateFunction {
    const known = this.validators.get(pointer);
    if (known) return known;
    const made = this.ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    this.validators.set(pointer, made);
    return made;
  }

  private at(pointer: string): unknown {
    return pointer
      .slice(1)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key.replaceAll('~1', '/')], this.document);
  }
}

/** The document as suites compare with it, and what is compiled of it: that takes longer than comparing does. */
function compiled(name: string) {
  const path = join(__dirname, '../../..', name);
  const times = [path, __filename].map((file) => statSync(file).mtimeMs);
  return cachedInWorker(`${name} ${times}`, () => {
    const document = closed(storedDocument(path));
    // Optimizing the code of a validator takes longer than the suites have use of it.
    const ajv = addFormats.default(new Ajv2020({ strict: false, code: { optimize: false } }));
    ajv.addSchema(document, 'contract');
    return { document, ajv, validators: new Map<string, ValidateFunction>() };
  });
}

/** As it stands in the repository, which test/architecture compares with the classes: it is read much faster than it is made. */
function storedDocument(path: string): Document {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Closes every object of what is sent; requests are closed by themselves. Within `allOf` only the parts that say what they are. */
function closed<T>(document: T): T {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== 'object' || value === null) return value;
    const copy: Record<string, unknown> = Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, close(part)]),
    );
    const isObject = copy['type'] === 'object' && typeof copy['properties'] === 'object';
    return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
  };
  return close(document) as T;
}

/** Texts of a request as they are measured: in NFC, without white space at their ends, one space inside. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC').trim().replace(/\s+/gu, ' ');
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cleaned(part)]));
}

/** A request without those parts of its list that the answer says were rejected: they may be as wrong as they like. */
function withoutRejected(sent: unknown, answered: unknown): unknown {
  const results = (answered as { data?: unknown } | null)?.data;
  if (!Array.isArray(results) || typeof sent !== 'object' || sent === null) return sent;
  const rejected = new Set(results.filter((one) => one.outcome === 'rejected').map((one) => one.index));
  if (rejected.size === 0) return sent;
  const entries = Object.entries(sent).map(([name, part]) => {
    if (!Array.isArray(part)) return [name, part];
    const left = part.filter((_, index) => !rejected.has(index));
    return [name, left.length === 0 ? [{ name: 'a', filename: 'a.jpg', sizeBytes: 1 }] : left];
  });
  return Object.fromEntries(entries);
}

function coerced(text: string): unknown {
  if (/^-?[0-9]+(\.[0-9]+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return text;
}

/** What was sent before it was compressed for the connection. */
export function decoded(bytes: Uint8Array, encoding: string | undefined): Uint8Array {
  if (encoding === 'gzip') return gunzipSync(bytes);
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function escaped(key: string): string {
  return key.replaceAll('/', '~1');
}

function excerpt(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 600));
  return bytes.length > 600 ? `${text}…` : text;
}
