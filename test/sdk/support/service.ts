import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PhotoService } from 'photo-service-sdk';
import type { KeyRequest } from '../../../src/core/access/keys.js';
import { PublicAddresses } from '../../../src/http/public-addresses.js';
import { type Actor, type RunningApp, type StartOptions, startApp } from '../../api/support/start-app.js';
import { fetchDue } from '../../support/fetch-due.js';
import { Front } from './front.js';

/** The API in memory, behind a front that counts and disturbs, with a worker that works as jobs come. */
export class SdkWorld {
  private working = true;
  private readonly worker: Promise<void>;

  private constructor(
    readonly app: RunningApp,
    readonly front: Front,
    /** The PUBLIC_URL of the service. */
    readonly url: string,
    readonly folder: string,
  ) {
    this.worker = this.work();
  }

  /** @param path Of PUBLIC_URL. */
  static async start(options: Pick<StartOptions, 'operatorApi'> = {}, path = ''): Promise<SdkWorld> {
    const front = await Front.open();
    const url = `${front.url}${path}`;
    const app = await startApp({ ...options, ports: () => ({ addresses: new PublicAddresses(url) }) });
    front.leadTo(app.url);
    return new SdkWorld(app, front, url, mkdtempSync(join(tmpdir(), 'phs-sdk-')));
  }

  /** A client of a new customer, with a key as asked for. */
  async client(key: Partial<KeyRequest> = {}, options: Partial<ConstructorParameters<typeof PhotoService>[0]> = {}) {
    const actor = await (await this.app.customer()).withKey(key);
    return { actor, client: this.clientOf(actor, options) };
  }

  clientOf(actor: Actor, options: Partial<ConstructorParameters<typeof PhotoService>[0]> = {}): PhotoService {
    return new PhotoService({ baseUrl: this.url, token: actor.token, ...options });
  }

  /** Writes a file into this world's folder; its path. */
  async file(name: string, content: Uint8Array | string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content);
    return path;
  }

  async close(): Promise<void> {
    this.working = false;
    await this.worker;
    await this.front.close();
    await this.app.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async work(): Promise<void> {
    while (this.working) {
      await fetchDue(this.app.ports);
      await this.app.work();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
