import { type Config, readConfig } from '../config.js';
import type { Ports } from '../core/ports.js';
import { installationName } from '../installation.js';
import { type OpenPorts, openPorts, requireInstallation } from '../ports.module.js';

/** The settings of an installation that is there, after saying which it is. Errors: `NoInstallationError`, before anything is made. */
export async function presentInstallation(): Promise<Config> {
  const config = readConfig(process.env);
  await requireInstallation(config);
  sayInstallation(config);
  return config;
}

/** On stderr, because stdout is for what a command prints: a shell whose settings are not those of the service is noticed. */
export function sayInstallation(config: Config): void {
  console.error(`phs: acting on ${installationName(config)}`);
}

/** Opens it beside its service, or while that is down. Close it at the end. */
export function openInstallation(config: Config, { create }: { create: boolean }): Promise<OpenPorts> {
  return openPorts(config, { ownership: 'share', create }, (line) => console.error(line));
}

/** Runs an operator's command on the installation that the environment names, whether its service runs or not. */
export async function withPorts<T>(work: (ports: Ports) => Promise<T>): Promise<T> {
  const { ports, close } = await openInstallation(await presentInstallation(), { create: false });
  try {
    return await work(ports);
  } finally {
    await close();
  }
}
