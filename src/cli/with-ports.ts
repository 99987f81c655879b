import { readConfig } from '../config.js';
import type { Ports } from '../core/ports.js';
import { openPorts } from '../ports.module.js';

/** Runs an operator's command on the installation that the environment names, whether its service runs or not. */
export async function withPorts<T>(work: (ports: Ports) => Promise<T>): Promise<T> {
  const { ports, close } = await openPorts(readConfig(process.env), 'share', (line) => console.error(line));
  try {
    return await work(ports);
  } finally {
    await close();
  }
}
