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
  let connection: Connection | null = null;
  let isDone = false;
  let chunks: Uint8Array[] = [];
  let size = 0;
  const rows = new Readable({
    read: () => connection?.stream.resume(),
    destroy: (error, done) => {
      if (!isDone) void client.end().catch(() => undefined);
      done(error);
    },
  });
  const handOn = () => {
    if (size === 0) return;
    const goOn = rows.push(Buffer.concat(chunks));
    chunks = [];
    size = 0;
    if (!goOn) connection?.stream.pause();
  };
  // The next statement must be handled, although the last rows may still be waiting for their reader.
  const end = () => {
    isDone = true;
    connection?.stream.resume();
  };
  const statement = {
    submit(given: pg.Connection) {
      connection = given as unknown as Connection;
      connection.query(sql);
    },
    handleCopyData({ chunk }: { chunk: Uint8Array }) {
      // pg reuses its buffer.
      chunks.push(Uint8Array.from(chunk));
      size += chunk.length;
      if (size >= PIECE) handOn();
    },
    handleCommandComplete: handOn,
    handleReadyForQuery() {
      end();
      rows.push(null);
    },
    handleError(error: Error) {
      end();
      rows.destroy(error);
    },
  };
  client.query(statement);
  return rows;
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
