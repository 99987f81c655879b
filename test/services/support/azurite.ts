import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import type { AzureSettings } from '../../../src/adapters/azure-blobs/azure-container.js';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';

/** Apart from the project: a first install does not need it (.ci/run). */
const FOLDER = join(__dirname, '../../../.ci/azurite');
const PROGRAM = join(FOLDER, 'node_modules/azurite/dist/src/blob/main.js');

/** Every installation of azurite has this account, which its documentation names. */
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Azure's own emulator of its blobs. What it stores is on the disk, so that it can be stopped and started again. */
export class Azurite {
  private constructor(
    private readonly folder: string,
    private readonly port: number,
    private daemon: Daemon,
  ) {}

  static async start(): Promise<Azurite> {
    if (!existsSync(PROGRAM))
      throw new Error('azurite is needed here and is not installed: npm ci --prefix .ci/azurite');
    const folder = mkdtempSync(join(tmpdir(), 'azurite-'));
    const port = await freePort();
    const server = new Azurite(folder, port, launch(folder, port));
    await server.answers();
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}/${account}`;
  }

  /** Makes a container, empty and of its own, and tells how to reach it. */
  async container(): Promise<AzureSettings> {
    const container = `test-${randomUUID()}`;
    const { endpoint } = this;
    await new ContainerClient(`${endpoint}/${container}`, new StorageSharedKeyCredential(account, key)).create();
    return { endpoint, account, key, container, publicEndpoint: null };
  }

  /** Connections are cut and refused. It writes what it has to the disk first. */
  async interrupt(): Promise<void> {
    process.kill(Number(readFileSync(join(this.folder, 'pid'), 'utf8')), 'SIGTERM');
    await until('azurite to end', () => this.isOver());
    await this.daemon.stop();
  }

  async startAgain(): Promise<void> {
    this.daemon = launch(this.folder, this.port);
    await this.answers();
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private isOver(): boolean {
    try {
      process.kill(Number(readFileSync(join(this.folder, 'pid'), 'utf8')), 0);
      return false;
    } catch {
      return true;
    }
  }

  private async answers(): Promise<void> {
    await until('azurite to answer', () =>
      fetch(this.endpoint).then(
        () => true,
        () => false,
      ),
    );
  }
}

function launch(folder: string, port: number): Daemon {
  // The SDK is newer than the last azurite that runs on Node 20.
  const emulation = ['--skipApiVersionCheck', '--silent', '--disableTelemetry'];
  const options = ['--blobPort', String(port), '--location', folder, ...emulation];
  const noteAndRun = ['/bin/sh', '-c', 'echo $$ > "$0"; exec "$@"', join(folder, 'pid')] as const;
  return Daemon.start([...noteAndRun, process.execPath, PROGRAM, ...options], join(folder, 'azurite.out'));
}

/** How the program is told of a container. @param endpoint Where it reaches the account. */
export function containerEnvironment(
  { account, key, container }: AzureSettings,
  endpoint: string,
): Record<string, string> {
  return {
    BLOB_STORE: 'azure',
    AZURE_ENDPOINT: endpoint,
    AZURE_STORAGE_ACCOUNT: account,
    AZURE_STORAGE_KEY: key,
    AZURE_CONTAINER: container,
  };
}
