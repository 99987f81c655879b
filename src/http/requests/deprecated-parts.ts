import type { Request, Response } from 'express';
import type { Model } from '../fields/declared.js';
import { type Deprecation, deprecatedFields, lifecycleOfRoute } from '../lifecycle.js';
import { publicPath } from '../server/base-path.js';
import type { BodyRules } from './read-request.js';

/** What of a route is deprecated. */
export interface DeprecatedParts {
  readonly route: Deprecation | null;
  readonly parameters: ReadonlyMap<string, Deprecation>;
  /** Of the body, at its top level. */
  readonly fields: ReadonlyMap<string, Deprecation>;
}

/** Something deprecated that a request used. */
interface UsedPart {
  /** Its name in the log and in metrics. */
  readonly name: string;
  readonly deprecation: Deprecation;
}

/** Null for almost every route. */
export function deprecatedPartsOf(
  handler: object,
  query: Model | undefined,
  body: BodyRules | undefined,
): DeprecatedParts | null {
  const { deprecation: route } = lifecycleOfRoute(handler);
  const parameters = query ? deprecatedFields(query) : new Map<string, Deprecation>();
  const shapes = body ? [body.shape, ...(body.bulk ? [body.bulk.shape] : [])] : [];
  const fields = new Map(shapes.flatMap((shape) => [...deprecatedFields(shape)]));
  const isUsual = route === null && parameters.size === 0 && fields.size === 0;
  return isUsual ? null : { route, parameters, fields };
}

/** What of it a request used, by the names of the parameters and of the fields that it sent. */
export function usedParts(
  { route, parameters, fields }: DeprecatedParts,
  { method, route: { path } }: Request,
  sent: { readonly parameters: Iterable<string>; readonly fields: Iterable<string> },
): readonly UsedPart[] {
  const at = `${method === 'HEAD' ? 'GET' : method} ${path}`;
  const used = (all: ReadonlyMap<string, Deprecation>, names: Iterable<string>, sign: string) =>
    [...names].flatMap((name) => {
      const deprecation = all.get(name);
      return deprecation === undefined ? [] : [{ name: `${at}${sign}${name}`, deprecation }];
    });
  return [
    ...(route ? [{ name: at, deprecation: route }] : []),
    ...used(parameters, sent.parameters, '?'),
    ...used(fields, sent.fields, '#'),
  ];
}

const GUIDE = '/docs/guides/versioning';

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and, where guides are served, links to what they mean. Of several parts, the earliest days
 * count.
 */
export function setDeprecationHeaders(response: Response, used: readonly UsedPart[], hasGuides: boolean): void {
  const since = earliest(used.map(({ deprecation }) => deprecation.since));
  const sunset = earliest(used.flatMap(({ deprecation }) => deprecation.sunset ?? []));
  if (since === null) return;
  response.setHeader('Deprecation', `@${since.getTime() / 1000}`);
  if (sunset !== null) response.setHeader('Sunset', sunset.toUTCString());
  if (!hasGuides) return;
  const guide = publicPath(response.req, GUIDE);
  const links = [`<${guide}>; rel="deprecation"; type="text/html"`];
  if (sunset !== null) links.push(`<${guide}>; rel="sunset"; type="text/html"`);
  response.append('Link', links);
}

function earliest(days: readonly string[]): Date | null {
  return days.length === 0 ? null : new Date(Math.min(...days.map((day) => Date.parse(day))));
}
