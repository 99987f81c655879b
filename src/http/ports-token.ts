/** The injection token of the ports: `constructor(@Inject(PORTS) private readonly ports: Ports)`. */
export const PORTS = Symbol('Ports');
