import type { Serializable } from 'node:child_process';

/** Carries messages between the primary process and one request process, in order. */
export interface Channel {
  /** Never throws: a message to a process that has ended is lost. */
  send(message: object): void;
  onMessage(listen: (message: unknown) => void): void;
  /** Resolves when the other process has ended, or is about to. */
  readonly closed: Promise<void>;
}

/** A process of Node with an IPC channel, seen from either end. */
interface IpcEnd {
  send?(message: Serializable, onSent: (error: Error | null) => void): boolean;
  on(event: 'message', listen: (message: unknown) => void): unknown;
  once(event: 'disconnect', listen: () => void): unknown;
}

/** @param end `process` itself, or a child process that was started with an IPC channel. */
export function ipcChannel(end: IpcEnd): Channel {
  return {
    // With a callback, Node reports an error to it and not as an event.
    send: (message) => void end.send?.(message, () => undefined),
    onMessage: (listen) => void end.on('message', listen),
    closed: new Promise((resolve) => end.once('disconnect', resolve)),
  };
}
