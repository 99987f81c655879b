import type { Answer } from '../http-client.js';
import type { Actor, RunningApp } from '../start-app.js';

/** A write with an Idempotency-Key, and its answer, which is kept for whoever repeats it. */
export interface KeptWrite {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
  readonly answer: Answer;
}

/** 2xx, and what an error says of how things are. All else can be tried again under its key. */
const KEPT_STATUSES = [403, 404, 409, 412, 422];

/** What a program does its requests by. Every second write has an Idempotency-Key. */
export class ModelClient {
  readonly kept: KeptWrite[] = [];
  private writes = 0;

  constructor(
    readonly app: RunningApp,
    private readonly actor: Actor,
  ) {}

  now(): number {
    return this.app.clock.now().getTime();
  }

  get(path: string): Promise<Answer> {
    return this.actor.get(path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.write('POST', path, body);
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.write('PUT', path, body);
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.write('PATCH', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.write('DELETE', path, undefined);
  }

  send({ method, path, body, key }: Omit<KeptWrite, 'answer'>): Promise<Answer> {
    return this.actor.send({ method, path: `/api/v1${path}`, body, headers: { 'idempotency-key': key } });
  }

  private async write(method: string, path: string, body: unknown): Promise<Answer> {
    this.writes += 1;
    if (this.writes % 2 === 0) return this.actor.send({ method, path: `/api/v1${path}`, body });
    const write = { method, path, body, key: `write-${this.writes}` };
    const answer = await this.send(write);
    if (answer.status < 300 || KEPT_STATUSES.includes(answer.status)) this.kept.push({ ...write, answer });
    return answer;
  }
}
