import type { Id } from '../shared/ids.js';

/** Who changes something. */
export interface Actor {
  /** Somebody who is signed in, a program with an API key, whoever may run `phs`, or the service itself. */
  readonly kind: 'person' | 'api_key' | 'command_line' | 'service';
  /** Of the user or the API key; null for all others. */
  readonly id: Id | null;
  /** E-mail address of the user, or name of the API key, at that time; null for a user without an address, and for all others. */
  readonly name: string | null;
  /** IP address that the request came from; null where there was no request. */
  readonly address: string | null;
}

export const commandLine: Actor = { kind: 'command_line', id: null, name: null, address: null };
export const service: Actor = { kind: 'service', id: null, name: null, address: null };
