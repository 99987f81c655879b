import type { Answer, Client } from '../../e2e/support/client.js';
import { until } from '../../e2e/support/processes.js';

/** A test that fails leaves its load neither to the next one nor to the end of the run. */
const running = new Set<Load>();
afterEach(() => Promise.all([...running].map((load) => load.stop())));

/** Reads and writes, one after another in each of some clients, until told to stop; and what came of them. */
export class Load {
  /** Answers that nobody should get. */
  readonly wrong: string[] = [];
  /** Names of tags whose making was acknowledged. */
  readonly written: string[] = [];
  /** Requests that were done; without those that were told to come again. */
  done = 0;
  /** Requests that were told to come again. */
  away = 0;
  private stopped = false;
  private readonly clients: Promise<void>[];

  /** @param mayBeAway Whether 503 in the words of the API, with the time to come again, is an answer to expect. */
  constructor(
    private readonly client: Client,
    private readonly name: string,
    { clients = 4, mayBeAway = false }: { clients?: number; mayBeAway?: boolean } = {},
  ) {
    this.clients = Array.from({ length: clients }, (_, number) => this.run(`${name} ${number}`, mayBeAway));
    running.add(this);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.clients);
    running.delete(this);
  }

  /** Until so many more requests have been done. */
  async goesOn(requests: number): Promise<void> {
    const enough = this.done + requests;
    await until('requests to be done', () => this.done >= enough);
  }

  /** What was acknowledged and is not there. */
  async lost(): Promise<readonly string[]> {
    const kept = new Set<string>();
    const path = `/tags?limit=100&q=${encodeURIComponent(this.name)}`;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: Answer = await this.client.get(`${path}${cursor}`);
      for (const { name } of body.data) kept.add(name);
      cursor = body.pagination.hasMore ? `&cursor=${body.pagination.nextCursor}` : null;
    }
    return this.written.filter((name) => !kept.has(name));
  }

  private async run(prefix: string, mayBeAway: boolean): Promise<void> {
    for (let turn = 0; !this.stopped; turn += 1) {
      const name = `${prefix}.${turn}`;
      await this.count('read', 200, mayBeAway, () => this.client.get('/photos?limit=5'));
      const isWritten = await this.count('write', 201, mayBeAway, () => this.client.post('/tags', { name }));
      if (isWritten) this.written.push(name);
    }
  }

  private async count(what: string, good: number, mayBeAway: boolean, act: () => Promise<Answer>): Promise<boolean> {
    try {
      const { status, body, headers } = await act();
      const isAway = status === 503 && body.error?.code === 'service_unavailable' && headers.has('retry-after');
      if (status === good) this.done += 1;
      else if (isAway && mayBeAway) this.away += 1;
      else this.wrong.push(`${what}: ${status} ${JSON.stringify(body)}`);
      return status === good;
    } catch (error) {
      this.wrong.push(`${what}: ${String(error)} ${String((error as Error).cause)}`);
      return false;
    }
  }
}
