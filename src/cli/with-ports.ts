import { configOf } from '../composition/blob-stores.js';
import { requireInstallation } from '../composition/require-installation.js';
import type { Config } from '../config/config.js';
import { installationName } from '../config/installation.js';
import type { Ports } from '../core/ports.js';
import { type ClosablePorts, openPorts } from '../ports.module.js';

/** The settings of an existing installation, after printing which one it is. Errors: `NoInstallationError`, before anything is created. */
export async function presentInstallation(): Promise<Config> {
  const config = configOf(process.env);
  await requireInstallation(config);
  printInstallation(config);
  return config;
}

/** On stderr, because stdout is for a command's output: this reveals a shell whose settings differ from those of the service. */
export function printInstallation(config: Config): void {
  console.error(`phs: acting on ${installationName(config)}`);
}

/** Opens it beside its service, or while that is stopped. Close it at the end. */
export function openInstallation(config: Config, { create }: { create: boolean }): Promise<ClosablePorts> {
  return openPorts(config, { ownership: 'share', create, log: (line) => console.error(line) });
}

/** Runs an operator's command on the configured installation, whether or not its service is running. */
export async function withPorts<T>(work: (ports: Ports) => Promise<T>): Promise<T> {
  const { ports, close } = await openInstallation(await presentInstallation(), { create: false });
  try {
    return await work(ports);
  } finally {
    await close();
  }
}
