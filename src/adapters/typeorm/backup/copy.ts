import { once } from 'node:events';
import { Readable } from 'node:stream';
import type pg from 'pg';

/** Rows are small: they are passed on in chunks of this size. */
const PIECE = 64 * 1024;

/** The connection that pg gives a statement (its `Submittable`), as far as COPY needs it. */
interface Connection {
  readonly stream: NodeJS.WritableStream & { pause(): void; resume(): void; readonly writableNeedDrain: boolean };
  query(sql: string): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/**
 * Runs `COPY … TO STDOUT` and streams its output; nothing else may run on the client meanwhile. A slow reader slows the server down. Ends
 * the client when it is not read to the end. Errors: those of the statement.
 */
export function copyOut(client: pg.Client, sql: string): Readable {
  const statement = new CopyOut(sql);
  const rows = new Readable({
    read: () => statement.connection?.stream.resume(),
    destroy: (error, done) => {
      if (!statement.isDone) void client.end().catch(() => undefined);
      done(error);
    },
  });
  statement.rows = rows;
  client.query(statement);
  return rows;
}

class CopyOut implements pg.Submittable {
  connection: Connection | null = null;
  rows: Readable | null = null;
  isDone = false;
  private chunks: Uint8Array[] = [];
  private size = 0;

  constructor(private readonly sql: string) {}

  submit(connection: pg.Connection): void {
    this.connection = connection as unknown as Connection;
    this.connection.query(this.sql);
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    // pg reuses its buffer.
    this.chunks.push(Uint8Array.from(chunk));
    this.size += chunk.length;
    if (this.size >= PIECE) this.handOn();
  }

  handleCommandComplete(): void {
    this.handOn();
  }

  handleReadyForQuery(): void {
    this.end();
    this.rows?.push(null);
  }

  handleError(error: Error): void {
    this.end();
    this.rows?.destroy(error);
  }

  /** The next statement must be handled, although the last rows may still be waiting for their reader. */
  private end(): void {
    this.isDone = true;
    this.connection?.stream.resume();
  }

  private handOn(): void {
    if (this.size === 0) return;
    const goOn = this.rows?.push(Buffer.concat(this.chunks));
    this.chunks = [];
    this.size = 0;
    if (!goOn) this.connection?.stream.pause();
  }
}

/** Runs `COPY … FROM STDIN` with these bytes, no faster than the server accepts them. Errors: those of the statement and of the bytes. */
export function copyIn(client: pg.Client, sql: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    let connection: Connection | null = null;
    const send = async () => {
      if (connection === null) return;
      try {
        for await (const chunk of bytes) {
          if (failure !== null) return;
          connection.sendCopyFromChunk(chunk);
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
        }
        connection.endCopyFrom();
      } catch (error) {
        failure ??= error as Error;
        connection.sendCopyFail('the bytes ended too early');
      }
    };
    const statement = {
      submit(given: pg.Connection) {
        connection = given as unknown as Connection;
        connection.query(sql);
      },
      handleCopyInResponse: () => void send(),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => (failure === null ? resolve() : reject(failure)),
      handleError(error: Error) {
        failure ??= error;
        // Not every failure is followed by another message of the server.
        reject(failure);
      },
    };
    client.query(statement);
  });
}
