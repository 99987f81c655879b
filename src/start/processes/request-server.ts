import { setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Methods, Rpc } from '../../adapters/primary-process/rpc.js';
import { type ReadinessCheck } from '../../api/ops/readiness.js';
import { configOf } from '../../composition/blob-stores.js';
import type { Log } from '../../composition/open-database.js';
import { OPEN_PORTS, type OpenPorts, PortsModule } from '../../ports.module.js';
import { drain, handOver, LINGER_MS } from '../serving/listener.js';
import { openLogger } from '../serving/log.js';
import { initialize, listen, openApp } from '../serving/open-app.js';
import type { ProcessCounts, StartParams, StopParams } from './request-processes.js';

export class RequestServer {
  private readonly stopping = new AbortController();
  private app: NestExpressApplication | null = null;
  private closing: Promise<void> | undefined;
  private counts: ProcessCounts = { ready: 1, wanted: 1 };

  constructor(private readonly primary: Rpc) {}

  readonly methods: Methods = {
    /** Resolves when requests are answered. */
    start: async ({ env, number }: StartParams) => {
      // Libraries read theirs by themselves.
      Object.assign(process.env, env);
      const config = configOf(env);
      const logger = await openLogger(config, number);
      const log: Log = (line, level = 'info') => logger[level](line);
      const ports = PortsModule.forRoot(config, { ownership: 'share', create: false, log, primary: this.primary });
      const { signal: stopping } = this.stopping;
      this.app = await openApp(ports, config, { logger, stopping, checks: [this.processes] });
      await initialize(this.app);
      await listen(this.app, config);
    },
    /** Resolves when every request has been answered, and what was counted of them is written. */
    stop: async ({ reason }: StopParams) => {
      const server = this.app?.getHttpServer();
      if (server !== undefined && reason === 'replaced') {
        await handOver(server);
      } else if (server !== undefined) {
        this.stopping.abort();
        if (reason === 'SIGTERM') await delay(LINGER_MS);
        await drain(server);
      }
      this.closing ??= this.app?.close();
      await this.closing;
    },
    report: async () => (await this.app?.get<OpenPorts>(OPEN_PORTS).metrics?.report()) ?? [],
    count: async (counts: ProcessCounts) => {
      this.counts = counts;
    },
  };

  private readonly processes: ReadinessCheck = {
    name: 'processes',
    otherwise: 'degraded',
    look: async () => {
      const { ready, wanted } = this.counts;
      if (ready < wanted) throw new Error(`${ready} of ${wanted} processes answer requests.`);
    },
  };
}
