import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** A request over one connection: its id and status, or null if it failed without an answer. */
export interface Asked {
  readonly requestId: string | null;
  readonly status: number | null;
}

/** Clients that ask for one address again and again, each over a connection of its own that it keeps open. */
export class Connections {
  /** By connection, in order. */
  readonly asked: Asked[][] = [];
  private isOver = false;
  private readonly ended: Promise<unknown>;

  /** @param pauseMs Between two requests of one, so that the load leaves the machine to others. */
  constructor(
    count: number,
    url: string,
    token: string,
    private readonly pauseMs = 0,
  ) {
    const lanes = Array.from({ length: count }, () => {
      const asked: Asked[] = [];
      this.asked.push(asked);
      return this.lane(asked, url, token);
    });
    this.ended = Promise.all(lanes);
  }

  /** Answers so far. */
  get answers(): number {
    return this.asked.flat().filter(({ status }) => status !== null).length;
  }

  /** Resolves when the last requests have ended. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.ended;
  }

  private async lane(asked: Asked[], url: string, token: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    do {
      asked.push(await ask(url, token, agent));
      await delay(this.pauseMs);
    } while (!this.isOver);
    agent.destroy();
  }
}

function ask(url: string, token: string, agent: Agent): Promise<Asked> {
  return new Promise((resolve) => {
    const asking = request(url, { agent, headers: { Authorization: `Bearer ${token}` } }, (response) => {
      const requestId = String(response.headers['x-request-id']);
      response.resume();
      response.on('close', () =>
        resolve({ requestId, status: response.complete ? (response.statusCode ?? null) : null }),
      );
    });
    asking.on('error', () => resolve({ requestId: null, status: null }));
    asking.end();
  });
}
