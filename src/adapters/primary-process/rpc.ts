import type { Serializable } from 'node:child_process';
import { ReaderFailure } from '../../core/media/media-reader.js';
import { DomainError } from '../../core/shared/errors.js';

/** The methods that the other process may call, by name. */
export type Methods = Readonly<Record<string, (params: never) => Promise<unknown>>>;

interface Call {
  readonly call: number;
  readonly method: string;
  readonly params: unknown;
}

type Outcome = { readonly result: unknown } | { readonly error: SentError };
type Reply = { readonly reply: number } & Outcome;

/** An error as it is sent: what callers distinguish errors by. */
interface SentError {
  readonly kind: 'domain' | 'reader' | 'other';
  readonly message: string;
  readonly code?: DomainError['code'];
  readonly details?: DomainError['details'];
}

/**
 * Remote procedure calls between two processes of one service, in both directions. Params and results are plain data (structured clone). A
 * method's error arrives as one of the same class if it is a `DomainError` or a `ReaderFailure`, otherwise as an `Error` with its message.
 */
export class Rpc {
  private readonly waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  private readonly methods = new Map<string, Methods[string]>();
  private calls = 0;
  private isClosed = false;

  constructor(private readonly channel: Channel) {
    channel.onMessage((message) => void this.receive(message));
    void channel.closed.then(() => {
      this.isClosed = true;
      for (const { reject } of this.waiting.values()) reject(processEnded());
      this.waiting.clear();
    });
  }

  /** Adds methods that the other process may call from now on, in addition to earlier ones. */
  serve(methods: Methods): void {
    for (const [name, run] of Object.entries(methods)) this.methods.set(name, run);
  }

  /** Rejects with `service_unavailable` when the other process ends before it has replied. */
  call<Result>(method: string, params: unknown): Promise<Result> {
    if (this.isClosed) return Promise.reject(processEnded());
    this.calls += 1;
    const call = this.calls;
    return new Promise<Result>((resolve, reject) => {
      this.waiting.set(call, { resolve, reject });
      this.channel.send({ call, method, params } satisfies Call);
    });
  }

  private async receive(message: unknown): Promise<void> {
    if (typeof message !== 'object' || message === null) return;
    // Node's own messages on the channel, and others', have neither.
    if ('call' in message && 'method' in message)
      this.channel.send({ reply: message.call, ...(await this.run(message as Call)) });
    else if ('reply' in message) this.settle(message as Reply);
  }

  private async run({ method, params }: Call): Promise<Outcome> {
    try {
      const run = this.methods.get(method);
      if (run === undefined) throw new Error(`There is no method ${method}.`);
      return { result: await run(params as never) };
    } catch (error) {
      if (error instanceof DomainError) {
        const { code, message, details } = error;
        return { error: { kind: 'domain', code, message, ...(details && { details }) } };
      }
      const message = error instanceof Error ? error.message : String(error);
      return { error: { kind: error instanceof ReaderFailure ? 'reader' : 'other', message } };
    }
  }

  private settle(reply: Reply): void {
    const call = this.waiting.get(reply.reply);
    this.waiting.delete(reply.reply);
    if ('error' in reply) {
      const { kind, message, code, details } = reply.error;
      if (kind === 'domain' && code !== undefined) call?.reject(new DomainError(code, message, details));
      else call?.reject(kind === 'reader' ? new ReaderFailure(message) : new Error(message));
    } else call?.resolve(reply.result as never);
  }
}

function processEnded(): DomainError {
  return new DomainError('service_unavailable', 'A process of the service ended before it replied. Try again.');
}

/** Carries messages between the primary process and one request process, in order. */
export interface Channel {
  /** Never throws: a message to a process that has ended is lost. */
  send(message: object): void;
  onMessage(listen: (message: unknown) => void): void;
  /** Resolves when the other process has ended, or is about to. */
  readonly closed: Promise<void>;
}

/** @param end `process` itself, or a child process that was started with an IPC channel. */
export function ipcChannel(end: {
  send?(message: Serializable, onSent: (error: Error | null) => void): boolean;
  on(event: 'message', listen: (message: unknown) => void): unknown;
  once(event: 'disconnect', listen: () => void): unknown;
}): Channel {
  return {
    // With a callback, Node reports an error to it and not as an event.
    send: (message) => void end.send?.(message, () => undefined),
    onMessage: (listen) => void end.on('message', listen),
    closed: new Promise((resolve) => end.once('disconnect', resolve)),
  };
}
