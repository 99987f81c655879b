import { eventBody } from '../../src/api/webhooks/event-body.js';
import type { Job, JobQueue } from '../../src/core/jobs/job.js';
import type { Id } from '../../src/core/shared/ids.js';
import { deliverEvent } from '../../src/core/webhooks/send.js';
import { DELIVERY_SLOTS, deliveryPool } from '../../src/worker/pools.js';
import { busyIn, type RunningWorker, runWorker } from '../../src/worker/worker.js';
import { Account, type World, world } from '../support/core-world.js';
import { Gate } from '../support/tenant.js';
import { until } from '../support/until.js';
import { gotBy, hook, logOf } from '../support/webhook-world.js';

let here: World;
let acme: Account;
let running: RunningWorker[];
let errors: unknown[];
beforeEach(async () => {
  here = world();
  acme = await Account.open(here);
  running = [];
  errors = [];
});
afterEach(() => Promise.all(running.map((dispatcher) => dispatcher.stop())));

function start(jobs: JobQueue = here.jobs): RunningWorker {
  const handle = (job: Job<'deliveries'>) => deliverEvent(here, job, eventBody);
  const dispatcher = runWorker({ jobs }, [deliveryPool(handle, { onError: (error) => errors.push(error) })]);
  running.push(dispatcher);
  return dispatcher;
}

const happen = (count: number, of = acme) =>
  here.store.transaction(of.id, (transaction) => {
    const ids = Array.from({ length: count }, (_, at) => at + 1);
    return transaction.outbox.add('photo.deleted', ids, here.clock.now());
  });
const sentTo = (url: string) => gotBy(here).filter((got) => got.url === url);
const delivered = async (owner: Account, endpointId: Id) =>
  (await logOf(here, owner.id, endpointId)).filter(({ status }) => status === 'delivered').length;

test('the delivery pool sends waiting deliveries and those that come later', async () => {
  const { endpoint } = await hook(here, acme.id);
  await happen(3);
  start();
  await until(async () => (await delivered(acme, endpoint.id)) === 3);
  await happen(2);
  await until(async () => (await delivered(acme, endpoint.id)) === 5);
  expect(errors).toEqual([]);
});

test('several delivery pools at once send each delivery once', async () => {
  const { endpoint } = await hook(here, acme.id);
  await happen(200);
  for (let count = 1; count <= 4; count += 1) start();
  await until(async () => (await delivered(acme, endpoint.id)) === 200);
  expect(new Set(gotBy(here).map(({ id }) => id)).size).toBe(200);
  expect(here.webhooks.sent).toHaveLength(200);
});

test('a receiver that answers late delays no other, and takes no more than its own slots', async () => {
  const slow = 'https://slow.example.com/';
  const quick = 'https://quick.example.com/';
  const gate = new Gate();
  here.webhooks.answer = async ({ url }) => {
    if (url === slow) await gate.opened;
    return 200;
  };
  const [late, prompt] = [await hook(here, acme.id, { url: slow }), await hook(here, acme.id, { url: quick })];
  const other = await Account.open(here);
  const next = await hook(here, other.id, { url: quick });
  await happen(100);
  await happen(1, other);
  start();
  await until(async () => (await delivered(acme, prompt.endpoint.id)) === 100);
  await until(async () => (await delivered(other, next.endpoint.id)) === 1);
  expect(sentTo(slow)).toHaveLength(DELIVERY_SLOTS.lane);
  gate.open();
  await until(async () => (await delivered(acme, late.endpoint.id)) === 100);
});

test('a customer whose receivers all answer late leaves half of the slots to others', async () => {
  const gate = new Gate();
  here.webhooks.answer = async ({ url }) => {
    if (url.includes('slow')) await gate.opened;
    return 200;
  };
  for (let number = 1; number <= 10; number += 1)
    await hook(here, acme.id, { url: `https://slow${number}.example.com/` });
  const other = await Account.open(here);
  const { endpoint } = await hook(here, other.id);
  await happen(10);
  start();
  await until(() => here.webhooks.sent.length === DELIVERY_SLOTS.customer);
  await happen(50, other);
  await until(async () => (await delivered(other, endpoint.id)) === 50);
  expect(here.webhooks.sent).toHaveLength(DELIVERY_SLOTS.customer + 50);
  gate.open();
});

test('a receiver is busy when all its slots are taken', () => {
  const under = (customerId: Id, endpointId: Id, times: number) =>
    Array.from({ length: times }, () => ({
      customerId,
      work: { kind: 'deliver', endpointId, deliveryId: 1 } as const,
    }));
  const busy = (deliveries: ReturnType<typeof under>) => busyIn(deliveries, DELIVERY_SLOTS);
  expect(busy([])).toEqual({ lanes: [], customerIds: [] });
  expect(busy(under(1, 7, DELIVERY_SLOTS.lane - 1))).toEqual({ lanes: [], customerIds: [] });
  const many = [1, 2, 3, 4].flatMap((endpointId) => under(1, endpointId, 4));
  const lanes = ['1', '2', '3', '4'].map((lane) => ({ customerId: 1, lane }));
  expect(busy([...many, ...under(2, 9, 1)])).toEqual({ lanes, customerIds: [1] });
});

test('the delivery pool continues after an outage of the queue, and reports it', async () => {
  const { endpoint } = await hook(here, acme.id);
  await happen(1);
  let failures = 3;
  const shaky: JobQueue = Object.create(here.jobs);
  shaky.claim = async (...given) => {
    failures -= 1;
    if (failures >= 0) throw new Error('away');
    return here.jobs.claim(...given);
  };
  start(shaky);
  await until(async () => (await delivered(acme, endpoint.id)) === 1);
  expect(errors.map(String)).toEqual(['Error: away', 'Error: away', 'Error: away']);
});

test('the delivery pool stops when asked to, after the deliveries in progress', async () => {
  const { endpoint } = await hook(here, acme.id);
  const gate = new Gate();
  here.webhooks.answer = async () => {
    await gate.opened;
    return 200;
  };
  await happen(1);
  const dispatcher = start();
  await until(() => here.webhooks.sent.length === 1);
  const stopped = dispatcher.stop();
  await happen(1);
  gate.open();
  await stopped;
  expect((await logOf(here, acme.id, endpoint.id)).map(({ status }) => status)).toEqual(['delivered', 'pending']);
});
