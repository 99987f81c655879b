import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes of a request and its response, with their headers. */
export interface TransferredBytes {
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export const NOTHING: TransferredBytes = { receivedBytes: 0, sentBytes: 0 };

/** What of a connection was counted for requests that have ended. */
interface Counted {
  received: number;
  readonly sent: number;
}

/** Not a WeakMap, as in request-context.ts. */
const COUNTED = Symbol('Counted');

interface CountedSocket extends Socket {
  [COUNTED]?: Counted;
}

/** What the connection has carried since the request before this one ended: every byte is counted once, even if requests overlap. */
export function endTransfer(request: IncomingMessage): TransferredBytes {
  const socket: CountedSocket = request.socket;
  const { received, sent } = socket[COUNTED] ?? { received: 0, sent: 0 };
  const { bytesRead, bytesWritten } = socket;
  const counted: Counted = { received: bytesRead, sent: bytesWritten };
  socket[COUNTED] = counted;
  // Answered early, it is discarded until it ends. The next request may be that of another account, if this is the connection of a proxy.
  if (!request.complete) {
    request.once('end', () => {
      counted.received = socket.bytesRead;
    });
  }
  return { receivedBytes: bytesRead - received, sentBytes: bytesWritten - sent };
}
