import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../composition/blob-stores.js';
import type { Config } from '../config/config.js';
import type { Settings } from '../config/settings-file.js';
import { processCount } from './processes/process-count.js';
import { requireFreePort } from './serving/listener.js';
import { openLogger } from './serving/log.js';
import type { WelcomeOptions } from './serving/welcome.js';

/**
 * Runs the service until a signal, or until its database ends: in this process alone, or as the primary process of several. Throws, with a
 * message for people, when it cannot start.
 * @param memory Nothing is stored: there is no database and no data folder.
 */
export async function serve(settings: Settings, { open, memory }: { open: boolean; memory?: boolean }): Promise<void> {
  if (!memory) return serveWith(configOf(settings.env), settings, { open });
  const { openMemory } = await import('../composition/open-memory.js');
  const opened = openMemory(settings.env);
  // Pictures are decoded in a folder, even if nothing is stored.
  const folder = await mkdtemp(join(tmpdir(), 'phs-memory-'));
  try {
    const config = configOf({ ...settings.env, DATA_DIR: folder, PROCESSES: '1' });
    await serveWith(config, settings, { open, memory: opened });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function serveWith(config: Config, settings: Settings, welcome: WelcomeOptions): Promise<void> {
  const count = processCount(config);
  const logger = await openLogger(config, count === 1 ? null : 0);
  if (settings.file !== null) logger.info({ file: settings.file }, 'settings read');
  for (const warning of settings.warnings) logger.warn(warning);
  await requireFreePort(config);
  // The primary process answers no requests, so it does not load what does.
  if (count === 1) return (await import('./serving/alone.js')).serveAlone(config, logger, welcome);
  return (await import('./processes/primary.js')).servePrimary(config, { settings, count, logger, welcome });
}
