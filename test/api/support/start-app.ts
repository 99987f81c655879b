import type { AddressInfo } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { pino } from 'pino';
import type { RenditionLeases } from '../../../src/adapters/decorators/shared-rendition-maker.js';
import { READINESS_CHECKS, Readiness, type ReadinessCheck } from '../../../src/api/ops/readiness.js';
import { AppModule, type AppOptions } from '../../../src/app.module.js';
import { IpRanges } from '../../../src/core/access/ip-list.js';
import { deleteKey, issueKey, type KeyRequest } from '../../../src/core/access/keys.js';
import { commandLine } from '../../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../../src/core/customers/create-customer.js';
import { operatorFor } from '../../../src/core/customers/customer.js';
import { defaultLimits, type Limits } from '../../../src/core/customers/limits.js';
import { issueOperatorToken, type OperatorTokenRequest } from '../../../src/core/operators/operator-token.js';
import type { Ports } from '../../../src/core/ports.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { type HttpOptions, REQUEST_OBSERVERS, type RequestObservers } from '../../../src/http/http-options.js';
import { allPorts, portToken } from '../../../src/http/ports-token.js';
import { PublicAddresses } from '../../../src/http/public-addresses.js';
import { type Route, RouteTable } from '../../../src/http/route-table.js';
import { PeriodicRecorder } from '../../../src/http/server/recorders.js';
import { expressServer, initialize, nestOptions } from '../../../src/start/serving/open-app.js';
import { runJob } from '../../../src/worker/pools.js';
import { MemoryBlobStore } from '../../../testing/memory/blobs/memory-blob-store.js';
import { SettableClock } from '../../../testing/memory/settable-clock.js';
import { claimJob } from '../../support/claim.js';
import { world } from '../../support/core-world.js';
import { asInProduction } from '../../support/in-process.js';
import { type Answer, type RequestParts, send } from './http-client.js';

export interface StartOptions {
  readonly trustedProxies?: readonly string[];
  readonly blobsLocation?: string;
  readonly deliveryMaxAge?: number;
  readonly docs?: boolean;
  readonly operatorApi?: boolean;
  readonly mapTiles?: HttpOptions['mapTiles'];
  readonly securityContacts?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly checks?: readonly ReadinessCheck[];
  readonly checkDeadlineMs?: number;
  readonly onAnswered?: HttpOptions['onAnswered'];
  readonly onProviderSignInRefused?: HttpOptions['onProviderSignInRefused'];
  readonly stopping?: AbortSignal;
  /** Ports that stand in for those in memory, each under its token. */
  readonly ports?: (ports: Ports) => Partial<Ports>;
  /** Default: leases in memory. */
  readonly leases?: RenditionLeases;
}

/** What a customer may have. Null: any number. */
export interface Quota {
  readonly photos: number | null;
  readonly storageBytes: number | null;
}

export interface RunningApp {
  readonly ports: Ports;
  readonly clock: SettableClock;
  readonly url: string;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  /** Every route, as the controllers declare it. */
  readonly routes: readonly Route[];
  /** A new customer with a key that may do everything; without a quota, unless it is given. */
  customer(name?: string, quota?: Quota): Promise<Actor>;
  /** A program of the operator, with a token of these scopes. */
  operator(request?: Partial<OperatorTokenRequest>): Promise<OperatorActor>;
  /** A request without a key. */
  send(parts: RequestParts): Promise<Answer>;
  /** Does every job that is due, and those that they bring. */
  work(): Promise<void>;
  /** Writes what was counted of requests and visits so far. */
  writeCounts(): Promise<void>;
  close(): Promise<void>;
}

/** The API on memory adapters, on a real socket. */
export async function startApp(options: StartOptions = {}): Promise<RunningApp> {
  const clock = new SettableClock();
  const inMemory = memoryPorts(clock, { ...defaultLimits, ...options.limits });
  // What is made from a port that another stands in for is made from that one.
  const ports = options.ports ? asInProduction({ ...inMemory, ...options.ports(inMemory) }, options.leases) : inMemory;
  const log: string[] = [];
  const stopping = options.stopping ?? new AbortController().signal;
  const appOptions: AppOptions = {
    logger: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
    trustedProxies: options.trustedProxies ? new IpRanges(options.trustedProxies) : null,
    blobsLocation: options.blobsLocation ?? null,
    deliveryMaxAge: options.deliveryMaxAge ?? 86_400,
    docs: options.docs ?? true,
    operatorApi: options.operatorApi ?? false,
    mapTiles: options.mapTiles ?? null,
    securityContacts: options.securityContacts ?? [],
    readiness: (checks) => new Readiness(checks, stopping, undefined, options.checkDeadlineMs),
    stopping,
  };
  const module = await Test.createTestingModule({
    imports: [AppModule.with(providing(ports, options), appOptions)],
  }).compile();
  const app = module.createNestApplication<NestExpressApplication>(expressServer(), nestOptions(appOptions));
  await initialize(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    ports,
    clock,
    url,
    log,
    routes: app.get(RouteTable, { strict: false }).routes,
    customer: (name = 'ACME', quota = none) => newActor(ports, url, name, quota),
    operator: (request = {}) => newOperator(ports, url, request),
    send: (parts) => send(url, parts),
    work: () => work(ports),
    async writeCounts() {
      const all = app.get(DiscoveryService, { strict: false }).getProviders();
      for (const { instance } of all) if (instance instanceof PeriodicRecorder) await instance.flush();
    },
    close: () => app.close(),
  };
}

/** Provides these ports as PortsModule does. */
function providing(ports: Ports, { checks = [], onAnswered, onProviderSignInRefused }: StartOptions): DynamicModule {
  const observers: RequestObservers = { onAnswered, onProviderSignInRefused };
  const names = Object.keys(ports) as (keyof Ports)[];
  const providers = [
    ...names.map((name) => ({ provide: portToken(name), useValue: ports[name] })),
    allPorts(names),
    { provide: READINESS_CHECKS, useValue: checks },
    { provide: REQUEST_OBSERVERS, useValue: observers },
  ];
  return { module: class MemoryPortsModule {}, global: true, providers, exports: providers };
}

function memoryPorts(clock: SettableClock, limits: Limits): Ports {
  const { database: _, ...ports } = world({ clock, limits });
  const addresses = new PublicAddresses('http://photos.test');
  return asInProduction({ ...ports, blobs: new MemoryBlobStore(), addresses });
}

async function work(ports: Ports): Promise<void> {
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    // Twice, as may happen to any job: the second run must change nothing that a test could see.
    await runJob(ports, job);
    await runJob(ports, job);
    await ports.jobs.complete(job);
  }
}

/** A customer's client with one key. */
export class Actor {
  constructor(
    private readonly ports: Ports,
    private readonly url: string,
    readonly customerId: Id,
    readonly keyId: Id,
    readonly token: string,
  ) {}

  /** The same customer with another key. */
  async withKey(request: Partial<KeyRequest>): Promise<Actor> {
    return newKey(this.ports, this.url, this.customerId, request);
  }

  deleteKey(): Promise<void> {
    return deleteKey(this.ports, operatorFor(this.customerId), this.keyId);
  }

  send(parts: RequestParts): Promise<Answer> {
    return send(this.url, { ...parts, headers: { authorization: `Bearer ${this.token}`, ...parts.headers } });
  }

  /** Under /api/v1. */
  get(path: string, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ path: `/api/v1${path}`, headers });
  }

  post(path: string, body?: unknown, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'POST', path: `/api/v1${path}`, body, headers });
  }

  put(path: string, body?: unknown, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'PUT', path: `/api/v1${path}`, body, headers });
  }

  patch(path: string, body?: unknown, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'PATCH', path: `/api/v1${path}`, body, headers });
  }

  delete(path: string, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'DELETE', path: `/api/v1${path}`, headers });
  }
}

/** A program of the operator. */
export class OperatorActor {
  constructor(
    private readonly url: string,
    readonly id: Id,
    readonly token: string,
  ) {}

  /** A request to a path under /operator/v1. */
  send({ path, ...parts }: RequestParts): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.token}`, ...parts.headers };
    return send(this.url, { ...parts, path: `/operator/v1${path}`, headers });
  }

  get(path: string, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ path, headers });
  }

  post(path: string, body?: unknown, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'POST', path, body, headers });
  }

  patch(path: string, body?: unknown, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'PATCH', path, body, headers });
  }

  delete(path: string, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'DELETE', path, headers });
  }
}

async function newOperator(ports: Ports, url: string, request: Partial<OperatorTokenRequest>): Promise<OperatorActor> {
  const all = { name: 'sign-up', scopes: ['all'], ipList: [], expiresAt: null };
  const { operatorToken, token } = await issueOperatorToken(ports, commandLine, { ...all, ...request });
  return new OperatorActor(url, operatorToken.id, token);
}

const none: Quota = { photos: null, storageBytes: null };

async function newActor(ports: Ports, url: string, name: string, quota: Quota): Promise<Actor> {
  const { photos: photosLimit, storageBytes: storageBytesLimit } = quota;
  const customer = await createCustomer(ports, commandLine, { name, storageBytesLimit, photosLimit });
  return newKey(ports, url, customer.id, {});
}

async function newKey(ports: Ports, url: string, customerId: Id, request: Partial<KeyRequest>): Promise<Actor> {
  const { key, token } = await issueKey(ports, operatorFor(customerId), {
    name: 'a key',
    scopes: ['all'],
    ipList: [],
    // Tests of anything else must not meet the write budget of 30.
    readLimit: 10_000,
    writeLimit: 10_000,
    expiresAt: null,
    ...request,
  });
  return new Actor(ports, url, customerId, key.id, token);
}
