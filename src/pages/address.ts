import { parse } from 'node:querystring';
import { invalid } from '../core/shared/errors.js';

/** A path of ours with a query; undefined and empty values are omitted. */
export function address(path: string, query: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) if (each !== '') parts.append(name, each);
  }
  return parts.size === 0 ? path : `${path}?${parts}`;
}

/** One parameter of a query as parsed by Express; empty when it was not sent, the first of several. */
export function oneOfQuery(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : '';
}

/** Longest value of a parameter of a page, in UTF-16 units. */
const MAX_VALUE = 500;

/** The lengths of parameters whose values are longer. */
const longer: Readonly<Record<string, number>> = {
  cursor: 2000,
  // Of a photo, as many as one request has.
  ids: 2000,
  photos: 16 * 1024,
  next: 4000,
};

/** The query of a page, in which no value is longer than the longest of its kind. Errors: `invalid_request`. */
export function pageQuery(text: string): NodeJS.Dict<string | string[]> {
  // Far more parameters than any page has.
  const query = parse(text, '&', '=', { maxKeys: 200 });
  for (const [name, value] of Object.entries(query)) {
    const max = (Object.hasOwn(longer, name) ? longer[name] : undefined) ?? MAX_VALUE;
    if ([value ?? []].flat().every(({ length }) => length <= max)) continue;
    throw invalid({ field: name, code: 'too_long', message: `${name} can have at most ${max} characters.`, max });
  }
  return query;
}
