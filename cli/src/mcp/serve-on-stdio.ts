import { interruptible } from '../interrupt.js';
import { type Server, StdioServerTransport } from './protocol.js';

/** One session. Resolves when the client has closed its end or the process is told to stop; calls in progress are then cancelled. */
export function serveOnStdio(server: Server): Promise<void> {
  return interruptible(async (signal) => {
    const closed = new Promise<void>((resolve) => {
      server.onclose = resolve;
    });
    const close = () => void server.close();
    process.stdin.once('end', close);
    // The client is gone: no one is left to report to.
    process.stdout.once('error', close);
    signal.addEventListener('abort', close);
    await server.connect(new StdioServerTransport());
    await closed;
  });
}
