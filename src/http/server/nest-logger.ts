import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Nest's own messages, in our log. Messages of a normal start are at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug({ nest: true }, String(message));
  }

  warn(message: unknown): void {
    this.logger.warn({ nest: true }, String(message));
  }

  error(message: unknown, ...more: unknown[]): void {
    // What stops a start is thrown, too, and reported where it is caught.
    if (more.at(-1) === 'ExceptionHandler') return;
    this.logger.error({ nest: true, more: more.map(String) }, String(message));
  }
}
