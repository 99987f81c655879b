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

/** All values of a parameter. */
export function allOfQuery(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}
