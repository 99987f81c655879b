import type { FactoryProvider, ValueProvider } from '@nestjs/common';
import type { Ports } from '../core/ports.js';

/** The injection token of one port: `constructor(@Inject(portToken('clock')) private readonly clock: Clock)`. */
export function portToken(name: keyof Ports): string {
  return `port ${name}`;
}

/** The injection token of all ports, by name, as use cases take them: `constructor(@Inject(PORTS) private readonly ports: Ports)`. */
export const PORTS = Symbol('Ports');

/** Each port under its own token, so that one can be overridden. `PORTS` has whatever is provided under these. */
export function portProviders(ports: Ports): (ValueProvider | FactoryProvider)[] {
  const names = Object.keys(ports) as (keyof Ports)[];
  const each = names.map((name) => ({ provide: portToken(name), useValue: ports[name] }));
  const all = (...values: unknown[]) => Object.fromEntries(names.map((name, at) => [name, values[at]]));
  return [...each, { provide: PORTS, inject: names.map(portToken), useFactory: all }];
}
