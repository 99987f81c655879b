import { DAY } from '../core/shared/clock.js';

/** The release that brought whatever declares no other one. */
const FIRST_RELEASE = '0.1.0';

/** A deprecated part works as before until its sunset. */
export interface Deprecation {
  /** The day from which it is deprecated: `2027-01-15`, in UTC. */
  readonly since: string;
  /** The day from which it may be gone; null while none is set. */
  readonly sunset: string | null;
  /** What to use in its place, as a sentence. */
  readonly instead: string;
}

/** What clients may rely on. */
export interface Lifecycle {
  /** `beta` may change with 30 days' notice. */
  readonly stability: 'stable' | 'beta';
  readonly addedIn: string;
  readonly deprecation: Deprecation | null;
}

export const usualLifecycle: Lifecycle = { stability: 'stable', addedIn: FIRST_RELEASE, deprecation: null };

/** Clients have a year to change. */
const NOTICE_MS = 365 * DAY;

const LIFECYCLE = Symbol('Lifecycle');

/** Of the fields of a class, on its prototype; the class itself has the name ''. */
const FIELD_LIFECYCLES = Symbol('FieldLifecycles');

type FieldLifecycles = ReadonlyMap<string, Partial<Lifecycle>>;

type Mark = ClassDecorator & MethodDecorator & PropertyDecorator;

/** The release that brought a route, a parameter, a field, or all fields of a class, if it was not the first one. */
export const AddedIn = (version: string): Mark => marked({ addedIn: version });

/** A route, a parameter or a field that may still change. */
export const Beta = (): Mark => marked({ stability: 'beta' });

/**
 * A route, a parameter or a field that clients are to give up. The document says so, the response of each request that uses it, a metric,
 * and the usage page of the account. Of a field of responses only the document can: nobody knows who reads it.
 * @throws Error for a sunset that leaves clients less than a year.
 */
export function Deprecated(deprecation: Deprecation): Mark {
  const { since, sunset } = deprecation;
  if (sunset !== null && !(Date.parse(sunset) - Date.parse(since) >= NOTICE_MS))
    throw new Error(`what is deprecated on ${since} cannot be gone on ${sunset}: clients have at least 365 days`);
  return marked({ deprecation });
}

function marked(values: Partial<Lifecycle>): Mark {
  return (target: object, name: string | symbol = '', descriptor?: PropertyDescriptor) => {
    if (typeof descriptor?.value === 'function') {
      Reflect.defineMetadata(LIFECYCLE, { ...lifecycleOfRoute(descriptor.value), ...values }, descriptor.value);
      return;
    }
    const prototype = typeof target === 'function' ? target.prototype : target;
    const own = ownFields(prototype);
    const after: FieldLifecycles = new Map([...own, [String(name), { ...own.get(String(name)), ...values }]]);
    Reflect.defineMetadata(FIELD_LIFECYCLES, after, prototype);
  };
}

function ownFields(prototype: object): FieldLifecycles {
  return Reflect.getOwnMetadata(FIELD_LIFECYCLES, prototype) ?? new Map();
}

export function lifecycleOfRoute(handler: object): Lifecycle {
  return Reflect.getOwnMetadata(LIFECYCLE, handler) ?? usualLifecycle;
}

/** Of a field of a class, or of one that it extends. */
export function lifecycleOfField(model: { readonly prototype: object }, name: string): Lifecycle {
  const own = lineage(model).reverse().map(ownFields);
  return Object.assign({}, usualLifecycle, ...own.flatMap((marks) => [marks.get(''), marks.get(name)]));
}

/** The fields of a class that are deprecated, by name. */
export function deprecatedFields(model: { readonly prototype: object }): ReadonlyMap<string, Deprecation> {
  const names = lineage(model).flatMap((prototype) => [...ownFields(prototype).keys()]);
  const found = [...new Set(names)].flatMap((name) => {
    const { deprecation } = lifecycleOfField(model, name);
    return deprecation === null || name === '' ? [] : [[name, deprecation] as const];
  });
  return new Map(found);
}

/** The prototype of a class, then those that it extends. */
function lineage({ prototype }: { readonly prototype: object }): object[] {
  const all: object[] = [];
  for (let at: object | null = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    all.push(at);
  return all;
}
