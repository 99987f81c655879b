import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import {
  type BlobGetPropertiesResponse,
  type BlockBlobClient,
  ContainerClient,
  newPipeline,
  RestError,
  type StoragePipelineOptions,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import {
  MAX_SOCKETS,
  onStore,
  type StoreTimeouts,
  storeOutage,
  usualPatience,
  withDeadline,
} from '../remote-blobs/outage.js';
import type { PartSizes } from '../remote-blobs/remote-blob-store.js';

export interface AzureSettings {
  /** The address of the account's blobs. */
  readonly endpoint: string;
  readonly account: string;
  /** In base64. */
  readonly key: string;
  readonly container: string;
  /** Where clients reach the account's blobs and send bytes to; null: they send them to this service. */
  readonly publicEndpoint: string | null;
}

const MIB = 1024 ** 2;
const MAX_BLOCKS = 50_000;

/**
 * For blobs of up to `maxBytes`. Azure accepts blocks of up to 4000 MiB, and 50,000 of them per blob. Blobs of up to `copied` are copied by
 * Azure, in one call; larger ones are read and written again.
 */
export function blocksFor(maxBytes: number): PartSizes {
  return { sent: Math.max(8 * MIB, Math.ceil(maxBytes / MAX_BLOCKS)), copied: 256 * MIB };
}

/** The pause before the third attempt, in milliseconds; the second follows the first at once. */
const PAUSE_MS = 1_000;

/** One container, and how calls to it are made. */
export class AzureContainer {
  readonly credential: StorageSharedKeyCredential;
  readonly name: string;
  readonly patience: StoreTimeouts;
  readonly parts: PartSizes;
  readonly client: ContainerClient;
  /** The same container, over connections that may be silent: a response that is read slowly is not a store that hangs. */
  private readonly reading: ContainerClient;
  private readonly agents: readonly http.Agent[];

  constructor(
    { endpoint, account, key, container }: AzureSettings,
    options: { readonly patience?: StoreTimeouts; readonly blocks?: PartSizes } = {},
  ) {
    this.patience = options.patience ?? usualPatience;
    this.parts = options.blocks ?? blocksFor(0);
    this.credential = new StorageSharedKeyCredential(account, key);
    this.name = container;
    const isEncrypted = endpoint.startsWith('https:');
    const url = `${endpoint.replace(/\/$/, '')}/${container}`;
    const [agent, patientAgent] = [agentFor(isEncrypted, this.patience.silence), agentFor(isEncrypted, null)];
    this.agents = [agent, patientAgent];
    const open = (over: http.Agent) => {
      const retryOptions = { maxTries: this.patience.attempts, retryDelayInMs: PAUSE_MS };
      // Passed on by the SDK to its pipeline of requests, whose options its type does not list.
      const pipeline: StoragePipelineOptions & { agent: http.Agent } = { retryOptions, agent: over };
      return new ContainerClient(url, newPipeline(this.credential, pipeline));
    };
    this.client = open(agent);
    this.reading = open(patientAgent);
  }

  /** @param forReading For a response with a body that a caller reads. */
  blob(key: string, { forReading = false } = {}): BlockBlobClient {
    return (forReading ? this.reading : this.client).getBlockBlobClient(key);
  }

  /** Makes a call with a deadline for its response, or for the head of it if the body is read by the caller. */
  call<T>(call: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    return withDeadline(this.patience.call, (abortSignal) => call({ abortSignal }));
  }

  /** The same for a call that sends bytes, which may take long as long as they make progress. */
  send<T>(call: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    return withDeadline(this.patience.sending, (abortSignal) => call({ abortSignal }));
  }

  /** Null when the blob is absent. Errors: `service_unavailable`. */
  head(key: string): Promise<BlobGetPropertiesResponse | null> {
    return onStore(() => this.call((options) => this.blob(key).getProperties(options)).catch(unlessAbsent));
  }

  close(): void {
    for (const agent of this.agents) agent.destroy();
  }
}

/** @param silence Milliseconds without a byte in either direction after which a connection is cut; null: never. */
function agentFor(isEncrypted: boolean, silence: number | null): http.Agent {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, ...(silence !== null && { timeout: silence }) };
  const agent = isEncrypted ? new https.Agent(options) : new http.Agent(options);
  if (silence === null) return agent;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args: Parameters<typeof connect>) => {
    const socket = connect(...args) as Duplex;
    return socket.once('timeout', () => {
      // An error of the connection, which the SDK takes as a reason to try again.
      socket.destroy(Object.assign(new Error(`no bytes within ${silence} ms`), { code: 'ETIMEDOUT' }));
    });
  };
  return agent;
}

/** The store's error code (`BlobNotFound`), which a response to HEAD has as a header; null when it sent none, or the response is not Azure's. */
export function refusalOf(error: unknown): string | null {
  if (!(error instanceof RestError)) return null;
  const details = error.details as { readonly errorCode?: string } | undefined;
  return details?.errorCode ?? error.response?.headers.get('x-ms-error-code') ?? null;
}

/** Null for the error that means absence; any other is rethrown, as that of a missing container. */
export function unlessAbsent(error: unknown): null {
  if (refusalOf(error) === 'BlobNotFound') return null;
  throw error;
}

/** The metadata of blobs whose hash was known before their first byte was sent. Azure's ETag differs after every write. */
export function newMarks(sha256: string | null): Record<string, string> {
  return sha256 === null ? {} : { sha256 };
}

interface Described {
  readonly etag?: string | undefined;
  readonly metadata?: Record<string, string> | undefined;
}

/** 64 hex digits, or null for a blob without it. */
export function sha256Of({ metadata }: Described): string | null {
  return metadata?.['sha256'] ?? null;
}

export function infoOf({ etag }: Described, sizeBytes: number | undefined): BlobInfo {
  if (etag === undefined || sizeBytes === undefined) {
    throw storeOutage(new Error('The store did not return the ETag or length of a blob.'));
  }
  return { sizeBytes, etag };
}
