/* @rest */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Client } from './support/client.js';
import { Collector } from './support/collector.js';
import { until } from './support/processes.js';
import { freePort, Installation } from './support/service.js';

const bytes = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/cyclamen.jpg')));
const other = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/png-alpha.png')));

describe('the operation of the service', () => {
  let installation: Installation;
  let client: Client;
  let metricsPort: number;
  let collector: Collector;
  beforeAll(async () => {
    metricsPort = await freePort();
    collector = await Collector.start();
    installation = await Installation.make({
      METRICS_PORT: String(metricsPort),
      OPERATOR_API: 'on',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      SECURITY_CONTACT: 'security@example.com, https://example.com/report',
    });
    await installation.start();
    client = await installation.client();
  });
  afterAll(async () => {
    await installation?.remove();
    collector?.close();
  });

  /** Spans of uploads to signed addresses. */
  const uploads = () =>
    collector.spans.filter(({ name }) => name === 'PUT /uploads/:token').map(({ spanId }) => spanId);
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  it('readyz has a line for everything that was looked at', async () => {
    const answer = await fetch(`${installation.url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', migrations: 'ok', blobs: 'ok', diskSpace: 'ok', rateLimits: 'ok' } },
    ]);
  });

  it('security.txt names the contacts of the operator', async () => {
    const answer = await fetch(`${installation.url}/.well-known/security.txt`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect((await answer.text()).split('\n')).toEqual([
      'Contact: mailto:security@example.com',
      'Contact: https://example.com/report',
      expect.stringMatching(/^Expires: 20\d\d-\d\d-\d\dT00:00:00\.000Z$/),
      '',
    ]);
  });

  it.each([
    ['/openapi.json', 'openapi.json'],
    ['/operator/openapi.json', 'openapi-operator.json'],
  ])(
    '%s is the committed document: the compiler emits other metadata of classes than the tests see',
    async (path, file) => {
      const answer = await fetch(`${installation.url}${path}`);
      const committed = readFileSync(join(__dirname, '../..', file), 'utf8');
      expect(await answer.json()).toEqual(JSON.parse(committed));
    },
  );

  it('metrics name routes by their templates, and no customers', async () => {
    const { id } = (await client.post('/imports')).body;
    await client.inline(id, [{ name: 'a-file-of-someone.jpg', bytes }]);
    await client.post(`/imports/${id}/finalize`, undefined, { Prefer: 'wait=15' });
    const [photo] = (await client.get('/photos?q=someone')).body.data;
    await client.download(`/photos/${photo.id}/download`);
    await fetch(`${installation.url}/no/such/place-of-someone`);
    const text = await until('the last answer and the job to be counted', async () => {
      const seen = await metrics();
      const inspected = 'photo_service_job_duration_seconds_count{kind="inspect",outcome="done"} 1';
      return seen.includes('route="none",status="404"') && seen.includes(inspected) && seen;
    });
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/photos\/:id\/download",status="200"\} 1/,
    );
    expect(text).toMatch(/photo_service_jobs\{kind="inspect",state="waiting"\} \d/);
    expect(text).toMatch(/photo_service_database_pool_connections [1-9]/);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    for (const secret of ['someone', 'phs_live', 'First customer']) expect(text).not.toContain(secret);
  });

  it('metrics are shown on their own port alone, and nothing else there', async () => {
    expect((await fetch(`${installation.url}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/api/v1/me`)).status).toBe(404);
  });

  it('traces lead from the sender of a request to the request, and from there to its job', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const made = await client.post('/imports', {}, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    const announced = [{ filename: 'secret-name.png', sizeBytes: other.length }];
    const { data } = (await client.post(`/imports/${made.body.id}/photos`, { photos: announced })).body;
    expect((await client.upload(data[0].photo.upload, other)).status).toBe(204);
    await client.get('/photos?q=secret-name');
    const job = await until('the job of the upload to be traced', () =>
      collector.spans.find(
        ({ name, links }) => name === 'job inspect' && uploads().some((at) => links[0]?.spanId === at),
      ),
    );
    const upload = collector.spans.find(({ spanId }) => spanId === job.links[0]?.spanId);
    expect(upload?.attributes).toMatchObject({ 'http.route': '/uploads/:token', 'http.response.status_code': 204 });
    expect([job.links[0]?.traceId, job.traceId === upload?.traceId]).toEqual([upload?.traceId, false]);
    const [sent] = collector.spans.filter((span) => span.traceId === traceId);
    expect(sent).toMatchObject({
      name: 'POST /api/v1/imports',
      parentSpanId: 'b7ad6b7169203331',
      attributes: { 'photo_service.request_id': made.headers.get('x-request-id') },
      resource: { 'service.name': 'photo-service' },
    });
    await until('the search to be traced', () => collector.spans.some(({ name }) => name === 'GET /api/v1/photos'));
    for (const secret of ['secret-name', 'phs_live', 'q=']) expect(collector.received).not.toContain(secret);
  });

  it('a failure is logged with the places of our functions in the modules of which the program is bundled', async () => {
    const blobs = join(installation.dataDir, 'blobs');
    rmSync(blobs, { recursive: true });
    writeFileSync(blobs, '');
    const FRAME = /at [^()]+ \(file:\/\/(\S+\/dist\/(?!program\/)\S+\.js):(\d+):/;
    const [, file = '', line] = await until('the log line', async () => {
      await fetch(`${installation.url}/readyz`);
      return FRAME.exec(installation.printed()) ?? undefined;
    });
    expect(readFileSync(file, 'utf8').split('\n')[Number(line) - 1]).toMatch(/\S\(/);
  });

  it('a metrics port that is in use is refused in words', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const unlucky = await Installation.make({ METRICS_PORT: String(port) });
    const { status, output } = await unlucky.startInVain();
    other.close();
    await unlucky.remove();
    expect([status, output]).toEqual([4, expect.stringContaining('Check METRICS_PORT')]);
  });
});
