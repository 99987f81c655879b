import type { Id } from '../shared/ids.js';

/** Who makes a change. */
export interface Actor {
  /**
   * A signed-in person, a program with an API key, a program of the operator with a token, an operator who runs `phs`, or the service itself.
   */
  readonly kind: 'person' | 'api_key' | 'operator' | 'command_line' | 'service';
  /** Of the user, the API key or the operator token; otherwise null. */
  readonly id: Id | null;
  /**
   * E-mail address of the user, or name of the API key or operator token, at that time; null for a user without an address, and for all
   * others.
   */
  readonly name: string | null;
  /** IP address that the request came from; null if there was no request. */
  readonly address: string | null;
}

export const commandLine: Actor = { kind: 'command_line', id: null, name: null, address: null };
export const service: Actor = { kind: 'service', id: null, name: null, address: null };
