import type { FactoryProvider } from '@nestjs/common';
import type { Ports } from '../core/ports.js';

/** The injection token of one port: `constructor(@Inject(portToken('clock')) private readonly clock: Clock)`. */
export function portToken(name: keyof Ports): string {
  return `port ${name}`;
}

/** The injection token of all ports, by name, as use cases take them: `constructor(@Inject(PORTS) private readonly ports: Ports)`. */
export const PORTS = Symbol('Ports');

/** Provides `PORTS`: whatever is provided under the tokens of these ports. */
export function allPorts(names: readonly (keyof Ports)[]): FactoryProvider {
  const byName = (...ports: unknown[]) => Object.fromEntries(names.map((name, at) => [name, ports[at]]));
  return { provide: PORTS, inject: names.map(portToken), useFactory: byName };
}
