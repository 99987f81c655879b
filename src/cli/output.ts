/** These fields, and no others, in this order. */
export function pick<T, Name extends keyof T>(value: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Pick<T, Name>;
}

/** The lines for something that cannot be printed again, apart from others, so that it can be copied. */
export function secretLines(what: string, secret: string): string[] {
  return [`${what}, shown only now:`, '', `  ${secret}`, ''];
}
