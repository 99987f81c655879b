import { type RunningApp, type StartOptions, startApp } from './support/start-app.js';

async function withApp(options: StartOptions, look: (app: RunningApp) => Promise<void>): Promise<void> {
  const app = await startApp(options);
  try {
    await look(app);
  } finally {
    await app.close();
  }
}

const fine = { name: 'database', otherwise: 'failed', look: async () => undefined } as const;
const away = async () => {
  throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
};

test('healthz and readyz answer without a key, and cost no budget', async () => {
  await withApp({ checks: [fine] }, async (app) => {
    for (const [path, body] of [
      ['/healthz', { status: 'ok' }],
      ['/readyz', { status: 'ready', checks: { database: 'ok' } }],
    ] as const) {
      const answer = await app.send({ path });
      expect([answer.status, answer.headers['x-ratelimit-limit'], answer.headers['cache-control']]).toEqual([
        200,
        undefined,
        'no-store',
      ]);
      expect(answer.body).toEqual(body);
    }
  });
});

test('readyz is 503 without what no request can do without, and tells no addresses; healthz stays as it is', async () => {
  const checks = [fine, { name: 'migrations', otherwise: 'failed', look: away } as const];
  await withApp({ checks }, async (app) => {
    const answer = await app.send({ path: '/readyz' });
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ status: 'not_ready', checks: { database: 'ok', migrations: 'failed' } });
    expect((await app.send({ path: '/healthz' })).status).toBe(200);
  });
});

test('readyz stays 200 without what many requests can do without, and says so', async () => {
  await withApp({ checks: [fine, { name: 'blobs', otherwise: 'degraded', look: away }] }, async (app) => {
    const answer = await app.send({ path: '/readyz' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ status: 'degraded', checks: { database: 'ok', blobs: 'degraded' } });
  });
});

test('a dependency that hangs is reported after a bounded wait, and is checked once for any number of requests', async () => {
  let looks = 0;
  const look = () => {
    looks += 1;
    return new Promise<void>(() => undefined);
  };
  await withApp({ checks: [{ name: 'database', otherwise: 'failed', look }], checkDeadlineMs: 50 }, async (app) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.send({ path: '/readyz' })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(503));
    expect(looks).toBe(1);
  });
});

test('a process that is stopping reports that at readyz alone, whatever hangs', async () => {
  const stopping = new AbortController();
  const hangs = { name: 'database', otherwise: 'failed', look: () => new Promise(() => undefined) } as const;
  await withApp({ checks: [hangs], stopping: stopping.signal }, async (app) => {
    stopping.abort();
    const answer = await app.send({ path: '/readyz' });
    expect([answer.status, answer.body.status]).toEqual([503, 'stopping']);
    expect((await app.send({ path: '/healthz' })).status).toBe(200);
  });
});
