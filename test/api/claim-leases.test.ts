import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ClaimLeases } from '../../src/api/idempotency/idempotent-responses.js';
import { CLAIM_LEASE_SECONDS, claimKey } from '../../src/core/idempotency/claim-key.js';
import type { Claim } from '../../src/core/idempotency/idempotency-store.js';
import type { Ports } from '../../src/core/ports.js';
import { MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { HttpOptions } from '../../src/http/http-options.js';
import { MemoryIdempotencyStore } from '../../testing/memory/memory-idempotency-store.js';
import { Account, type World, world } from '../support/core-world.js';
import { Gate } from '../support/tenant.js';

let here: World;
let customerId: Id;
let log: string[];
let leases: ClaimLeases;

beforeEach(async () => {
  here = world();
  customerId = (await Account.open(here)).caller.customerId;
  jest.useFakeTimers();
  log = [];
});
afterEach(async () => {
  await leases.beforeApplicationShutdown();
  jest.useRealTimers();
});

async function start(replaced: Partial<Ports['idempotency']> = {}): Promise<void> {
  const idempotency = Object.assign(Object.create(here.idempotency), replaced);
  const logger = pino({ level: 'warn' }, { write: (line: string) => void log.push(line) });
  leases = new ClaimLeases({ ...here, idempotency }, { logger } as HttpOptions);
  await leases.onModuleInit();
}

/** Of the process and of the database alike. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += SECOND) {
    here.clock.pass(SECOND);
    await jest.advanceTimersByTimeAsync(SECOND);
  }
}

const attempt = (key: string) => claimKey(here, { customerId, key }, 'equal');

/** A run that goes on until it is told to end. */
async function run() {
  const key = randomUUID();
  const claimed = await attempt(key);
  const over = new Gate();
  const ended = leases.during((claimed as { claim: Claim }).claim, () => over.opened);
  const end = () => {
    over.open();
    return ended;
  };
  return { key, end };
}

test('a run keeps its claim as long as it continues', async () => {
  await start();
  const { key, end } = await run();
  await pass(10 * CLAIM_LEASE_SECONDS * SECOND);
  await expect(attempt(key)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  await end();
});

test('a claim that no run renews is free when its lease has run out', async () => {
  await start();
  const { key, end } = await run();
  await pass(20 * SECOND);
  await end();
  await pass(CLAIM_LEASE_SECONDS * SECOND);
  expect(await attempt(key)).toHaveProperty('claim');
});

test('a run that does not end loses its claim after five minutes, although its process lives', async () => {
  await start();
  const { key, end } = await run();
  await pass(5 * MINUTE);
  await expect(attempt(key)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  await pass(CLAIM_LEASE_SECONDS * SECOND);
  expect(await attempt(key)).toHaveProperty('claim');
  await end();
});

test('an outage of the database between two renewals costs no claim', async () => {
  const away = () => Promise.reject(new DomainError('service_unavailable', 'Not now.'));
  let failures = 1;
  const renew: Ports['idempotency']['renew'] = (...given) => {
    failures -= 1;
    return failures >= 0 ? away() : here.idempotency.renew(...given);
  };
  await start({ renew, reclaim: away });
  const { key, end } = await run();
  await pass(2 * CLAIM_LEASE_SECONDS * SECOND);
  await expect(attempt(key)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  expect(log).toHaveLength(2);
  await end();
});

test('a process that starts releases the claims of a dead one', async () => {
  const key = randomUUID();
  const another = new MemoryIdempotencyStore(here.database, here.clock);
  const die = await another.showAlive();
  await claimKey({ ...here, idempotency: another }, { customerId, key }, 'equal');
  await start();
  await expect(attempt(key)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
  await leases.beforeApplicationShutdown();
  await die();
  await start();
  expect(await attempt(key)).toHaveProperty('claim');
});
