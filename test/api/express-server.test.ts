import type { AddressInfo } from 'node:net';
import express from 'express';
import { ExpressServer } from '../../src/start/serving/open-app.js';

test('requests and responses have the prototypes of Express before Express sees them', async () => {
  const app = express();
  app.get('/', (request, response) => {
    response.json({ app: request.app === app && response.app === app, ip: request.ip, query: request.query });
  });
  const adapter = new ExpressServer(app);
  adapter.initHttpServer();
  const server = adapter.getHttpServer();
  const seen: boolean[] = [];
  server.prependListener('request', (request: object, response: object) => {
    seen.push(Object.getPrototypeOf(request) === app.request, Object.getPrototypeOf(response) === app.response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?a=1`);
    expect(await answer.json()).toEqual({ app: true, ip: '127.0.0.1', query: { a: '1' } });
    expect(seen).toEqual([true, true]);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
