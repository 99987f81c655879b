import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Config } from '../../config/config.js';

/**
 * Lines on stderr: JSON, or text for people. Of an error its name, message and stack: its other properties (for example a statement's
 * parameters) may be a customer's data.
 * @param processNumber Of this process among several of this service, in every line; 0 is the primary.
 */
export async function openLogger(config: Config, processNumber: number | null = null): Promise<Logger> {
  const positions = new ModulePositions();
  const err = (error: unknown) => {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
    const stack = error.stack === undefined ? undefined : positions.inStack(error.stack);
    return { type: error.name, message: error.message, stack, cause };
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    {
      level: config.logLevel,
      base: processNumber === null ? null : { process: processNumber },
      timestamp,
      serializers: { err },
    },
    await output(config),
  );
}

/** Text has colours at a terminal, unless NO_COLOR is set (https://no-color.org). */
async function output({ logFormat }: Config): Promise<DestinationStream> {
  const isTerminal = process.stderr.isTTY === true;
  if (logFormat === 'json' || (logFormat === 'auto' && !isTerminal)) return writtenTogether();
  const { PinoPretty } = await import('pino-pretty');
  const colorize = isTerminal && !process.env['NO_COLOR'];
  return PinoPretty({ destination: 2, sync: true, colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true });
}

/** Lines wait so long for others, and are written at once when there are so many bytes of them. */
const [WAIT_MS, WAITING_BYTES] = [20, 8 * 1024];

/**
 * Writes lines of about the same time by one call: a call for each took as much as a tenth of a small request. A warning or an error is
 * written with what waits as soon as no other lines are being written, and so is everything when the process exits.
 */
function writtenTogether(): DestinationStream {
  const out = destination({ dest: 2, minLength: WAITING_BYTES, sync: false });
  let waitingBytes = 0;
  let isScheduled = false;
  out.on('write', (bytes: number) => {
    waitingBytes -= bytes;
  });
  // From then on pino writes nothing.
  let isBroken = false;
  out.on('error', (error: NodeJS.ErrnoException) => {
    isBroken ||= error.code === 'EPIPE';
  });
  // Again until nothing waits: while it writes, it does not take a flush.
  const flush = () => {
    isScheduled = false;
    if (waitingBytes === 0 || isBroken) return;
    out.flush();
    later();
  };
  const later = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(flush, WAIT_MS).unref();
  };
  return {
    // Makes pino tell the level of each line; 40 is that of warnings.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      waitingBytes += Buffer.byteLength(line);
      out.write(line);
      if (this.lastLevel >= 40) out.flush();
      later();
    },
  } as DestinationStream & { lastLevel: number };
}

/** At the end of a path: code that was compiled by the build names the folder of the build, which may have been moved since. */
const FRAME = /[\\/]dist[\\/]program[\\/]([\w.-]{1,100}\.js):(\d{1,9}):(\d{1,9})/;
const PROGRAM = new URL('../../program/', import.meta.url);

/**
 * Stack traces of the bundled program, with each of our functions at its place in the module that it was bundled from. The maps are read
 * when a trace needs them: few ever do, and Node's own option for it reads them at every start.
 */
class ModulePositions {
  readonly #maps = new Map<string, SourceMap>();

  /** Positions that no map knows, those of packages among them, stay as they are. */
  inStack(stack: string): string {
    return stack
      .split('\n')
      .map((frame) => this.#inFrame(frame))
      .join('\n');
  }

  #inFrame(frame: string): string {
    const found = FRAME.exec(frame);
    if (found === null) return frame;
    const [end, file = '', line, column] = found;
    const entry = this.#mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return frame;
    const module = new URL(entry.originalSource, PROGRAM).href;
    const before = frame.slice(0, pathStart(frame.slice(0, found.index + 1)));
    const after = frame.slice(found.index + end.length);
    return `${before}${module}:${entry.originalLine + 1}:${entry.originalColumn + 1}${after}`;
  }

  #mapOf(file: string): SourceMap | undefined {
    const known = this.#maps.get(file);
    if (known !== undefined) return known;
    try {
      const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, PROGRAM), 'utf8')));
      this.#maps.set(file, map);
      return map;
    } catch {
      // A trace at the bundle's positions is better than none.
      return undefined;
    }
  }
}

/** Where a path begins that is the end of the text, in a folder with spaces or not. */
function pathStart(text: string): number {
  const opened = Math.max(text.lastIndexOf('('), text.lastIndexOf(')')) + 1;
  const slash = opened + text.slice(opened).search(/[\\/]/);
  return /^[A-Za-z]:$/.test(text.slice(slash - 2, slash)) ? slash - 2 : slash;
}
