import { Socket } from 'node:net';

/**
 * The channel between the service and a decoder: a pipe on descriptor 3 of the decoder, on which each side sends frames. A frame is the length
 * of its JSON and the length of its bytes (4 bytes each, big-endian), the JSON, and the bytes. Not Node's own channel for messages: it
 * throws at what it cannot read where no caller can catch it, and holds in memory whatever length it is told.
 */
export interface Frame {
  readonly json: unknown;
  readonly bytes: Buffer;
}

export interface FrameBounds {
  readonly maxJsonBytes: number;
  readonly maxBytes: number;
}

/** The error for bytes that are not a frame within its bounds. */
export class FrameError extends Error {}

const CHANNEL = 3;
const HEADER_BYTES = 8;
/** Bounds of jobs, which the service itself makes. */
const JOB: FrameBounds = { maxJsonBytes: 64 * 1024, maxBytes: 0 };

export function encodeFrame(json: unknown, bytes: Uint8Array = new Uint8Array()): Buffer {
  const text = Buffer.from(JSON.stringify(json));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(text.length, 0);
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, text, bytes]);
}

/** Reads one frame, no matter who sends it: at most its bounds are held in memory, and the only error is `FrameError`. */
export class FrameReader {
  #part: Buffer = Buffer.alloc(HEADER_BYTES);
  #filled = 0;
  /** Null while the header is read. */
  #jsonBytes: number | null = null;

  constructor(private readonly bounds: FrameBounds) {}

  /** Takes what has arrived. Returns the frame once it is complete, and must then not be called again. */
  push(chunk: Buffer): Frame | null {
    let rest = this.#take(chunk);
    if (this.#filled < this.#part.length) return null;
    if (this.#jsonBytes === null) {
      const [jsonBytes, bytes] = [this.#part.readUInt32BE(0), this.#part.readUInt32BE(4)];
      if (jsonBytes > this.bounds.maxJsonBytes || bytes > this.bounds.maxBytes) throw new FrameError('it is too long');
      this.#jsonBytes = jsonBytes;
      this.#part = Buffer.allocUnsafeSlow(jsonBytes + bytes);
      this.#filled = 0;
      rest = this.#take(rest);
      if (this.#filled < this.#part.length) return null;
    }
    if (rest.length > 0) throw new FrameError('more bytes follow it');
    const bytes = this.#part.subarray(this.#jsonBytes);
    return { json: parsed(this.#part.toString('utf8', 0, this.#jsonBytes)), bytes };
  }

  /** Returns what is not part of this one. */
  #take(chunk: Buffer): Buffer {
    const taken = chunk.copy(this.#part, this.#filled);
    this.#filled += taken;
    return chunk.subarray(taken);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FrameError('it is not JSON');
  }
}

/**
 * The decoder's side: says that it is ready, and answers one job after the other. When its parent is gone, or there has never been one, the
 * process is killed: exit() would wait for a decoder.
 */
export function answerJobs<Job>(
  ready: Promise<unknown>,
  answer: (job: Job) => Promise<{ json: unknown; bytes?: Uint8Array }>,
): void {
  const end = () => process.kill(process.pid, 'SIGKILL');
  let channel: Socket;
  try {
    channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
  } catch {
    end();
    return;
  }
  const send = (json: unknown, bytes?: Uint8Array) => channel.write(encodeFrame(json, bytes));
  let reader = new FrameReader(JOB);
  channel.on('data', async (chunk) => {
    const frame = reader.push(chunk);
    if (frame === null) return;
    reader = new FrameReader(JOB);
    const { json, bytes } = await answer(frame.json as Job);
    send(json, bytes);
  });
  channel.on('error', end);
  channel.on('close', end);
  void ready.then(() => send({ kind: 'ready' }));
}
