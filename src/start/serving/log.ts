import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Finding } from '../../api/ops/readiness.js';
import type { Config } from '../../config/config.js';
import type { MediaIsolation } from '../../core/media/media-reader.js';
import { ModulePositions } from './module-positions.js';

/**
 * Lines on stderr: JSON, or text for people. Of an error its name, message and stack: its other properties (for example a statement's
 * parameters) may be a customer's data.
 * @param process Its number among several of this service, in every line; 0 is the primary.
 */
export async function openLogger(config: Config, process: number | null = null): Promise<Logger> {
  const positions = new ModulePositions();
  const err = (error: unknown) => {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
    const stack = error.stack === undefined ? undefined : positions.inStack(error.stack);
    return { type: error.name, message: error.message, stack, cause };
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    { level: config.logLevel, base: process === null ? null : { process }, timestamp, serializers: { err } },
    await output(config),
  );
}

/** Text has colours at a terminal, unless NO_COLOR is set (https://no-color.org). */
async function output({ logFormat }: Config): Promise<DestinationStream> {
  const isTerminal = process.stderr.isTTY === true;
  if (logFormat === 'json' || (logFormat === 'auto' && !isTerminal)) return destination(2);
  const { PinoPretty } = await import('pino-pretty');
  const colorize = isTerminal && !process.env['NO_COLOR'];
  return PinoPretty({ destination: 2, sync: true, colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true });
}

/** The addresses of the dependencies contain no secrets, but a message for people only needs the problem and its cause. */
export function logReadiness(logger: Logger) {
  return (name: string, finding: Finding, reason?: unknown) =>
    logger.warn({ check: name, finding, ...(reason !== undefined && { err: reason }) }, 'readiness changed');
}

/** Logged at every start: what a picture that takes over its reader could reach. */
export function logIsolation(logger: Logger, { level, refused }: MediaIsolation): void {
  const isWeak = level === 'process' && process.env['NODE_ENV'] === 'production';
  const advice = isWeak ? ': see "Isolation of picture readers" in docs/operations.md' : '';
  logger[isWeak ? 'warn' : 'info'](
    { isolation: level, refused },
    `images are read at isolation level ${level}${advice}`,
  );
}
