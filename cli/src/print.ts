import { exitCodes } from './exit-codes.js';
import { UNSEEN } from './file-name.js';

export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** With `--json` one document and nothing else on stdout; else the lines for people, unless they want none: see `plain`. */
export function print(options: OutputOptions, document: unknown, lines: readonly string[]): void {
  if (options.json) process.stdout.write(`${JSON.stringify(document)}\n`);
  else if (!options.quiet) process.stdout.write(lines.map((line) => `${plain(line)}\n`).join(''));
}

/** Ends the command when its output is no longer read, as after `| head`: nothing has failed. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(exitCodes.ok);
    });
  }
}

/** A line for people on stderr: see `plain`. */
export function printNote(line: string): void {
  console.error(plain(line));
}

/** A table of items: each column by its heading, with what its cells show of an item. A time is shown as its instant, null as nothing. */
export function tableOf<T>(
  items: readonly T[],
  columns: Readonly<Record<string, (item: T) => string | number | Date | null>>,
): string[] {
  const textOf = (cell: string | number | Date | null) =>
    cell instanceof Date ? cell.toISOString() : String(cell ?? '');
  const rows = items.map((item) => Object.values(columns).map((cellOf) => textOf(cellOf(item))));
  return table([Object.keys(columns), ...rows]);
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

/** `61.2 MB` */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** `1 photo`, `2 photos` */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** `1:05`, `2:00:00` */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Returns text from files and servers, which may hold anything, without control characters and without what changes its direction. */
export function plain(text: string): string {
  return text.replace(UNSEEN, '�');
}

/** The message for a person about a failure, and the exit code of the command. */
export interface Explanation {
  readonly exitCode: number;
  /** Null: everything has been printed. */
  readonly message: string | null;
  /** The code of the service, or one of ours, for example `usage` and `no_answer`. */
  readonly code: string;
  /** Whether it has been printed to stderr already. */
  readonly isSaid?: boolean;
  readonly requestId?: string;
}

/** On stderr for people; with `--json` on stdout too, as the one document. */
export function tell({ exitCode, message, isSaid, ...rest }: Explanation, args: readonly string[]): number {
  if (message === null) return exitCode;
  if (!isSaid) console.error(`phs: ${message.split('\n').map(plain).join('\n')}`);
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { ...rest, message } })}\n`);
  return exitCode;
}
