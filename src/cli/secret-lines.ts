/** The lines for something that cannot be printed again, apart from others, so that it can be copied. */
export function secretLines(what: string, secret: string): string[] {
  return [`${what}, shown only now:`, '', `  ${secret}`, ''];
}
