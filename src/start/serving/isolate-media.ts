import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import type { OpenPorts } from '../../ports.module.js';
import { logIsolation } from './log.js';

/** Chooses the isolation level of picture readers and logs it. Errors: the level that the settings require does not work here. */
export function isolateMedia({ isolateMedia }: OpenPorts, { media }: Config, logger: Logger): Promise<void> {
  const isolated = isolateMedia().then(
    (chosen) => logIsolation(logger, chosen),
    (error) => {
      if (media.isolation !== 'auto') throw error;
      // Its scratch disk may be full: then only pictures are unavailable.
      logger.warn({ err: error }, 'images cannot be read; the next one will be tried');
    },
  );
  // The first other failure ends the start.
  isolated.catch(() => undefined);
  return isolated;
}
