import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { SECOND } from '../../core/shared/clock.js';

/** How long a client may take to send the headers, and how long a connection may be silent. */
const HEADERS_MS = 30 * SECOND;
const IDLE_MS = 60 * SECOND;
/**
 * Between two requests. Longer than load balancers keep a connection open by default (60 s at most): otherwise one sends a request while we
 * close it.
 */
const KEEP_ALIVE_MS = 65 * SECOND;

/**
 * Closes stalled connections: 30 s for the headers, 60 s without a byte of body in either direction. The duration of a whole request is not
 * limited, so that slow uploads of large files succeed.
 */
export function limitSockets(server: Server): void {
  const working = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('request', (request, response) => working.set(request.socket, { request, response }));
  server.setTimeout(IDLE_MS, (socket) => {
    const now = working.get(socket);
    // The client is not timed out while we prepare our response.
    const weWork = now?.request.complete && !now.response.headersSent && !now.response.destroyed;
    if (!weWork) socket.destroy();
  });
}
