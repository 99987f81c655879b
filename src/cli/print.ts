/** With `--json` one document and nothing else on stdout; otherwise the lines for people. */
export function print(options: { readonly json?: boolean }, document: unknown, lines: readonly string[]): void {
  process.stdout.write(options.json ? `${JSON.stringify(document)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** The lines for something that cannot be printed again, apart from others, so that it can be copied. */
export function secretLines(what: string, secret: string): string[] {
  return [`${what}, shown only now:`, '', `  ${secret}`, ''];
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
