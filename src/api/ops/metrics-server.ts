import { createServer, type ServerResponse } from 'node:http';

export interface RunningMetricsServer {
  close(): Promise<void>;
}

/** Anything that can be rendered in Prometheus's text format. */
export interface Exposition {
  exposition(): Promise<{ readonly type: string; readonly text: string }>;
}

/** `GET /metrics`, on a separate port: it requires no key, and is for monitoring only. Rejects when the port is not available. */
export async function openMetricsServer(
  metrics: Exposition,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningMetricsServer> {
  const server = createServer((request, response) => {
    const isAsked = ['GET', 'HEAD'].includes(request.method ?? '') && request.url?.split('?')[0] === '/metrics';
    if (isAsked) void show(metrics, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  // Scrapers must not keep the process from ending.
  server.unref();
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function show(metrics: Exposition, response: ServerResponse): Promise<void> {
  try {
    const { type, text } = await metrics.exposition();
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
