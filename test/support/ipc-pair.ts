import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { type Channel, ipcChannel } from '../../src/adapters/primary-process/rpc.js';

interface Addressed {
  readonly to: 'primary' | 'process';
  readonly message: object;
}

export interface IpcPair {
  /** What the primary process has. */
  readonly primary: Channel;
  /** What a request process has. */
  readonly process: Channel;
  /** Ends the process in between, which both ends notice. */
  close(): Promise<void>;
}

/** Two ends of one channel between processes, both in the hands of a test: messages go to another process and come back from there. */
export function ipcPair(): IpcPair {
  const relay = fork(join(__dirname, 'ipc-relay.mjs'), { serialization: 'advanced' });
  const end = (own: Addressed['to'], other: Addressed['to']) => ipcChannel(new End(relay, own, other));
  return {
    primary: end('primary', 'process'),
    process: end('process', 'primary'),
    async close() {
      const ended = once(relay, 'exit');
      relay.kill('SIGKILL');
      await ended;
    },
  };
}

class End extends EventEmitter {
  constructor(
    private readonly relay: ChildProcess,
    own: Addressed['to'],
    private readonly other: Addressed['to'],
  ) {
    super();
    relay.on('message', ({ to, message }: Addressed) => to === own && this.emit('message', message));
    relay.once('disconnect', () => this.emit('disconnect'));
  }

  send(message: unknown, onSent: (error: Error | null) => void): boolean {
    return this.relay.send({ to: this.other, message } as Addressed, onSent);
  }
}
