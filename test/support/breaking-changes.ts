import { pathTexts } from './path-texts.js';

/** What the check looks at of an OpenAPI 3.1 document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly components?: Readonly<Record<string, unknown>>;
}

type Json = Readonly<Record<string, unknown>>;

/** Which way a value goes: clients send it, or the service does. What one side may loosen would break the other. */
type Direction = 'request' | 'response';

/**
 * What in `current` could break a client that was written for `released`, a sentence each. What may be added without
 * harm is no change: paths, methods, optional parameters and request fields, response fields, values of response enums.
 */
export function breakingChanges(released: ApiDocument, current: ApiDocument): readonly string[] {
  return new Comparison(released, current).changes();
}

class Comparison {
  private readonly found: string[] = [];
  /** References that are being compared, so that schemas which name themselves come to an end. */
  private readonly open = new Set<string>();

  constructor(
    private readonly released: ApiDocument,
    private readonly current: ApiDocument,
  ) {}

  changes(): readonly string[] {
    for (const [path, methods] of Object.entries(this.released.paths)) {
      const now = this.current.paths[path];
      if (!now) this.found.push(`The path ${path} was removed.`);
      else for (const [method, before] of Object.entries(methods)) this.operation(method, path, before, now[method]);
    }
    for (const [type, event] of Object.entries(this.released.webhooks ?? {})) {
      const now = this.current.webhooks?.[type];
      if (!now) this.found.push(`The event ${type} was removed.`);
      else this.event(`Event ${type}`, event, now);
    }
    return [...new Set(this.found)];
  }

  /** The service sends the body of an event: it goes the way of a response. */
  private event(at: string, before: unknown, now: unknown): void {
    const bodyOf = (event: unknown) => jsonOf(jsonOf(jsonOf(jsonOf(event)['post'])['requestBody'])['content']);
    for (const [type, media] of Object.entries(bodyOf(before))) {
      const is = bodyOf(now)[type];
      if (is === undefined) this.found.push(`${at}: the content type ${type} was removed.`);
      else this.schema('response', at, jsonOf(media)['schema'], jsonOf(is)['schema']);
    }
  }

  private operation(method: string, path: string, before: unknown, now: unknown): void {
    const at = `${method.toUpperCase()} ${path}`;
    if (now === undefined) {
      this.found.push(`${at} was removed.`);
      return;
    }
    const [was, is] = [before as Json, now as Json];
    this.security(at, was['security'], is['security']);
    this.parameters(at, listOf(was['parameters']), listOf(is['parameters']));
    this.requestBody(at, was['requestBody'] as Json | undefined, is['requestBody'] as Json | undefined);
    this.responses(at, jsonOf(was['responses']), jsonOf(is['responses']));
  }

  private security(at: string, before: unknown, now: unknown): void {
    const [was, is] = [scopesIn(before), scopesIn(now)];
    for (const scope of is) if (!was.includes(scope)) this.found.push(`${at} now needs the scope ${scope}.`);
  }

  private parameters(at: string, before: readonly Json[], now: readonly Json[]): void {
    const key = ({ in: place, name }: Json) => `${place} parameter ${name}`;
    for (const was of before) {
      const is = now.find((one) => key(one) === key(was));
      if (!is) this.found.push(`${at}: the ${key(was)} was removed.`);
      else {
        if (is['required'] === true && was['required'] !== true)
          this.found.push(`${at}: the ${key(was)} became required.`);
        if (was['in'] !== 'path' || !this.pathPattern(`${at}: ${key(was)}`, was['schema'], is['schema']))
          this.schema('request', `${at}: ${key(was)}`, was['schema'], is['schema']);
      }
    }
    for (const is of now) {
      const isNew = !before.some((one) => key(one) === key(is));
      if (isNew && is['required'] === true) this.found.push(`${at}: the ${key(is)} is new and required.`);
    }
  }

  /** Whether a pattern alone says what a segment of a path may be: then it must match whatever was admitted, by another schema perhaps. */
  private pathPattern(at: string, before: unknown, now: unknown): boolean {
    const { type, pattern } = this.resolved('current', now);
    const admitted = pathTexts(before, (schema) => this.resolved('released', schema));
    if (type !== 'string' || typeof pattern !== 'string' || admitted.length === 0) return false;
    const refused = admitted.find((text) => !new RegExp(pattern).test(text));
    if (refused !== undefined) this.found.push(`${at} takes no ${refused} any more.`);
    return true;
  }

  private requestBody(at: string, before: Json | undefined, now: Json | undefined): void {
    if (now?.['required'] === true && before?.['required'] !== true)
      this.found.push(`${at}: the body became required.`);
    if (!before) return;
    const [was, is] = [jsonOf(before['content']), jsonOf(now?.['content'])];
    for (const type of Object.keys(was)) {
      if (is[type] === undefined) this.found.push(`${at} takes no ${type} any more.`);
      else this.schema('request', `${at}: request`, jsonOf(was[type])['schema'], jsonOf(is[type])['schema']);
    }
  }

  private responses(at: string, before: Json, now: Json): void {
    for (const [status, response] of Object.entries(before)) {
      if (now[status] === undefined) {
        this.found.push(`${at} does not answer ${status} any more.`);
        continue;
      }
      const [was, is] = [this.resolved('released', response), this.resolved('current', now[status])];
      const headers = jsonOf(is['headers']);
      for (const name of Object.keys(jsonOf(was['headers']))) {
        if (headers[name] === undefined) this.found.push(`${at}, ${status}: the header ${name} was removed.`);
      }
      const content = jsonOf(is['content']);
      for (const [type, media] of Object.entries(jsonOf(was['content']))) {
        if (content[type] === undefined) this.found.push(`${at}, ${status}: the content type ${type} was removed.`);
        else this.schema('response', `${at}, ${status}`, jsonOf(media)['schema'], jsonOf(content[type])['schema']);
      }
    }
  }

  private schema(direction: Direction, at: string, before: unknown, now: unknown): void {
    const mark = `${direction} ${refOf(before)} ${refOf(now)}`;
    const isNamed = refOf(before) !== undefined && refOf(now) !== undefined;
    if (isNamed && this.open.has(mark)) return;
    if (isNamed) this.open.add(mark);
    this.compare(direction, at, this.resolved('released', before), this.resolved('current', now));
    if (isNamed) this.open.delete(mark);
  }

  private compare(direction: Direction, at: string, was: Json, is: Json): void {
    this.types(direction, at, was, is);
    this.values(direction, at, was, is);
    this.bounds(direction, at, was, is);
    this.properties(direction, at, was, is);
    if (was['items'] !== undefined && is['items'] !== undefined) {
      this.schema(direction, `${at}, entry`, was['items'], is['items']);
    }
    for (const keyword of ['oneOf', 'anyOf', 'allOf']) this.branches(direction, at, keyword, was, is);
  }

  private types(direction: Direction, at: string, was: Json, is: Json): void {
    const [before, now] = [typesOf(was), typesOf(is)];
    if (before.length === 0 || now.length === 0) return;
    const gone = before.filter((type) => !now.includes(type) && !(type === 'integer' && now.includes('number')));
    const added = now.filter((type) => !before.includes(type) && !(type === 'integer' && before.includes('number')));
    if (direction === 'request') for (const type of gone) this.found.push(`${at} takes no ${type} any more.`);
    else for (const type of added) this.found.push(`${at} can now be ${type}.`);
    if (gone.length === before.length && direction === 'response' && added.length === 0) {
      this.found.push(`${at} was ${before.join(' or ')} and is ${now.join(' or ')}.`);
    }
  }

  /** A removed value breaks those who send it, and those who wait for it; a new one of a response is to be tolerated. */
  private values(direction: Direction, at: string, was: Json, is: Json): void {
    const [before, now] = [valuesOf(was), valuesOf(is)];
    if (before === undefined) {
      if (now && direction === 'request') this.found.push(`${at} is now limited to ${now.map(String).join(', ')}.`);
      return;
    }
    for (const value of before)
      if (now && !now.includes(value)) this.found.push(`${at}: the value ${value} was removed.`);
  }

  private bounds(direction: Direction, at: string, was: Json, is: Json): void {
    const check = (name: string, isNarrower: (now: number, before: number) => boolean) => {
      const [before, now] = [was[name], is[name]];
      const [strict, loose] = direction === 'request' ? [now, before] : [before, now];
      if (typeof strict !== 'number') return;
      if (typeof loose === 'number' && !isNarrower(strict, loose)) return;
      this.found.push(
        direction === 'request'
          ? `${at}: ${name} was narrowed from ${before ?? 'none'} to ${now}.`
          : `${at}: ${name} was widened from ${before} to ${now ?? 'none'}.`,
      );
    };
    for (const name of ['minimum', 'minLength', 'minItems', 'minProperties'])
      check(name, (now, before) => now > before);
    for (const name of ['maximum', 'maxLength', 'maxItems', 'maxProperties'])
      check(name, (now, before) => now < before);
    for (const name of ['pattern', 'format']) {
      const changed = is[name] !== was[name];
      if (changed && direction === 'request' && is[name] !== undefined)
        this.found.push(`${at}: ${name} became ${is[name]}.`);
      if (changed && direction === 'response' && was[name] !== undefined)
        this.found.push(`${at}: ${name} ${was[name]} was given up.`);
    }
  }

  private properties(direction: Direction, at: string, was: Json, is: Json): void {
    const [before, now] = [jsonOf(was['properties']), jsonOf(is['properties'])];
    const [mustHave, mustHaveNow] = [namesOf(was['required']), namesOf(is['required'])];
    for (const [name, schema] of Object.entries(before)) {
      if (now[name] === undefined) this.found.push(`${at}: the field ${name} was removed.`);
      else this.schema(direction, `${at}.${name}`, schema, now[name]);
    }
    if (direction === 'request') {
      for (const name of mustHaveNow)
        if (!mustHave.includes(name)) this.found.push(`${at}: the field ${name} became required.`);
    } else {
      for (const name of mustHave) {
        if (now[name] !== undefined && !mustHaveNow.includes(name))
          this.found.push(`${at}: the field ${name} may now be missing.`);
      }
    }
  }

  /** Branches are told apart by their names; those without by their place. */
  private branches(direction: Direction, at: string, keyword: string, was: Json, is: Json): void {
    const [before, now] = [listOf(was[keyword]), listOf(is[keyword])];
    const key = (branch: Json, index: number) => refOf(branch) ?? String(branch['type'] ?? index);
    const keys = now.map(key);
    for (const [index, branch] of before.entries()) {
      const same = now[keys.indexOf(key(branch, index))];
      if (same) this.schema(direction, at, branch, same);
      else if (direction === 'request' && now.length > 0)
        this.found.push(`${at} takes no ${key(branch, index)} any more.`);
    }
    if (direction !== 'response' || keyword === 'allOf' || before.length === 0) return;
    const known = before.map(key);
    for (const one of keys) if (!known.includes(one)) this.found.push(`${at} can now be ${one}.`);
  }

  private resolved(side: 'released' | 'current', value: unknown): Json {
    const path = refOf(value);
    if (path === undefined) return jsonOf(value);
    const keys = path.replace(/^#\//, '').split('/');
    return jsonOf(keys.reduce<unknown>((at, key) => jsonOf(at)[key], this[side]));
  }
}

function refOf(value: unknown): string | undefined {
  const path = jsonOf(value)['$ref'];
  return typeof path === 'string' ? path : undefined;
}

function jsonOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(jsonOf) : [];
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function typesOf({ type }: Json): readonly string[] {
  return type === undefined ? [] : [type].flat().map(String);
}

function valuesOf(schema: Json): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return 'const' in schema ? [schema['const']] : undefined;
}

function scopesIn(security: unknown): readonly string[] {
  return listOf(security).flatMap((one) => Object.values(one).flatMap(namesOf));
}
