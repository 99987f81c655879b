import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { readImageDelivery } from '../../src/core/delivery/delivery-key.js';
import { DAY } from '../../src/core/shared/clock.js';
import { readTraffic, sweepTraffic } from '../../src/core/traffic/read-traffic.js';
import {
  dayOf,
  type EndedRequest,
  MAX_LISTED_FAILURES,
  TrafficCounter,
  type Transfer,
} from '../../src/core/traffic/traffic.js';
import { world } from '../support/core-world.js';

const request = (values: Partial<EndedRequest> = {}): EndedRequest => ({
  customerId: 1,
  apiKeyId: 1,
  requestId: 'req_1',
  at: new Date('2026-11-21T12:00:00Z'),
  method: 'GET',
  route: '/api/v1/tags',
  status: 200,
  code: null,
  ...values,
});

test('a traffic counter distinguishes success, failure and requests over the limit', () => {
  const counter = new TrafficCounter();
  expect(counter.take()).toBeNull();
  counter.note(request());
  counter.note(request({ code: 'rate_limited', status: 429 }));
  counter.note(request({ code: 'not_found', status: 404, requestId: 'req_2' }));
  counter.note(request({ at: new Date('2026-11-22T00:00:00Z') }));
  counter.note(request({ apiKeyId: 2 }));
  const { counts = [], hours = [], failures = [] } = counter.take() ?? {};
  const key = { customerId: 1, apiKeyId: 1 };
  expect(counts).toEqual([
    { ...key, day: '2026-11-21', requests: 3, limited: 1, failed: 1 },
    { ...key, day: '2026-11-22', requests: 1, limited: 0, failed: 0 },
    { customerId: 1, apiKeyId: 2, day: '2026-11-21', requests: 1, limited: 0, failed: 0 },
  ]);
  expect(hours).toEqual([
    { ...key, day: '2026-11-21', hour: 12, requests: 3, limited: 1, failed: 1 },
    { ...key, day: '2026-11-22', hour: 0, requests: 1, limited: 0, failed: 0 },
    { customerId: 1, apiKeyId: 2, day: '2026-11-21', hour: 12, requests: 1, limited: 0, failed: 0 },
  ]);
  const failure = request({ code: 'not_found', status: 404, requestId: 'req_2' });
  expect(failures).toEqual([failure]);
  expect(counter.take()).toBeNull();
});

test('traffic that could not be written is counted with later traffic, oldest failures first, up to a limit', () => {
  const counter = new TrafficCounter();
  const fail = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) counter.note(request({ code: 'not_found', requestId: `req_${at}` }));
  };
  fail(0, 60);
  const lost = counter.take();
  fail(60, 120);
  if (lost !== null) counter.putBack(lost);
  const tally = counter.take();
  expect(tally?.counts).toMatchObject([{ requests: 120, failed: 120 }]);
  expect(tally?.hours).toMatchObject([{ hour: 12, requests: 120, failed: 120 }]);
  const kept = Array.from({ length: MAX_LISTED_FAILURES }, (_, at) => `req_${at + 20}`);
  expect(tally?.failures.map(({ requestId }) => requestId)).toEqual(kept);
});

test('delivered pictures are counted by key and day, and again if they could not be written', () => {
  const counter = new TrafficCounter();
  const at = new Date('2026-11-21T12:00:00Z');
  const picture = { customerId: 1, deliveryKeyId: 7, at, bytes: 1000, isNew: false };
  counter.notePicture({ ...picture, isNew: true });
  counter.notePicture({ ...picture, bytes: 0 });
  counter.notePicture({ ...picture, deliveryKeyId: 8 });
  const lost = counter.take();
  expect(lost?.counts).toEqual([]);
  expect(counter.take()).toBeNull();
  if (lost !== null) counter.putBack(lost);
  counter.notePicture(picture);
  counter.notePicture({ ...picture, at: new Date('2026-11-22T00:00:00Z') });
  const key = { customerId: 1, deliveryKeyId: 7 };
  expect(counter.take()?.pictures).toEqual([
    { ...key, day: '2026-11-21', requests: 3, bytes: 2000, made: 1 },
    { customerId: 1, deliveryKeyId: 8, day: '2026-11-21', requests: 1, bytes: 1000, made: 0 },
    { ...key, day: '2026-11-22', requests: 1, bytes: 1000, made: 0 },
  ]);
});

test('transferred bytes are counted by account, channel and day, and again if they could not be written', () => {
  const counter = new TrafficCounter();
  const transfer: Transfer = {
    ...{ customerId: 1, channel: 'api', at: new Date('2026-11-21T12:00:00Z'), receivedBytes: 100, sentBytes: 2 ** 40 },
  };
  counter.noteTransfer(transfer);
  counter.noteTransfer({ ...transfer, receivedBytes: 0 });
  counter.noteTransfer({ ...transfer, channel: 'shares' });
  counter.noteTransfer({ ...transfer, customerId: 2 });
  const lost = counter.take();
  expect([lost?.counts, counter.take()]).toEqual([[], null]);
  if (lost !== null) counter.putBack(lost);
  counter.noteTransfer({ ...transfer, sentBytes: 1 });
  counter.noteTransfer({ ...transfer, at: new Date('2026-11-22T00:00:00Z') });
  const [api, bytes] = [
    { customerId: 1, channel: 'api' },
    { receivedBytes: 100, sentBytes: 2 ** 40 },
  ];
  expect(counter.take()?.transfers).toEqual([
    { ...api, day: '2026-11-21', receivedBytes: 200, sentBytes: 2 ** 41 + 1 },
    { ...api, channel: 'shares', day: '2026-11-21', ...bytes },
    { ...api, customerId: 2, day: '2026-11-21', ...bytes },
    { ...api, day: '2026-11-22', ...bytes },
  ]);
});

test('traffic is reported for thirty days, today by hour, and older traffic is deleted', async () => {
  const ports = world();
  const { id: customerId } = await createCustomer(ports, commandLine, {
    name: 'A',
    storageBytesLimit: 10,
    photosLimit: null,
  });
  const { key } = await issueKey(ports, operatorFor(customerId), {
    name: 'a key',
    scopes: ['all'],
    ipList: [],
    readLimit: null,
    writeLimit: null,
    expiresAt: null,
  });
  const day = (ago: number) => dayOf(new Date(ports.clock.now().getTime() - ago * DAY));
  const counts = [0, 29, 30].map((ago) => {
    return { customerId, apiKeyId: key.id, day: day(ago), requests: 1, limited: 0, failed: 0 };
  });
  const pictures = [0, 29, 30].map((ago) => {
    return { customerId, deliveryKeyId: 7, day: day(ago), requests: 1, bytes: 5, made: 1 };
  });
  const transfers = [0, 29, 30].map((ago) => {
    return { customerId, day: day(ago), channel: 'api' as const, receivedBytes: 1, sentBytes: 2 };
  });
  const hours = counts.map((count) => ({ ...count, hour: 3 }));
  await ports.traffic.add({ counts, hours, failures: [], pictures, transfers });
  const told = await readTraffic(ports, customerId);
  expect([told.days.length, told.days[0], told.days.at(-1)]).toEqual([30, day(29), day(0)]);
  expect(told.counts.map((count) => count.day)).toEqual([day(29), day(0)]);
  expect(told.hours.map((count) => count.day)).toEqual([day(0)]);
  expect(told.keys.map(({ id }) => id)).toEqual([key.id]);
  expect(ports.database.requestCounts.all()).toHaveLength(3);
  expect((await readImageDelivery(ports, customerId)).pictures.map((count) => count.day)).toEqual([day(29), day(0)]);
  expect(told.transfers.map((count) => count.day)).toEqual([day(29), day(0)]);
  await sweepTraffic(ports);
  expect(ports.database.requestCounts.all()).toHaveLength(2);
  expect(ports.database.requestHours.all()).toHaveLength(1);
  expect(ports.database.pictureCounts.all()).toHaveLength(2);
  expect(ports.database.transferCounts.all()).toHaveLength(2);
});
