import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  FileProblem,
  type ImportSource,
  photoName,
  type UploadAnswer,
  type UploadRequest,
  uploadAnswer,
} from '../import/source.js';
import type { PhotoDetails } from '../resources.js';
import { HashPool, problemOf, unreadable } from './hash-pool.js';

/** A file of this machine. */
export interface LocalFile {
  /** Identifies it within its run, and in later runs. */
  readonly ref: string;
  readonly path: string;
  /** The path in the file system, where it is not UTF-8. */
  readonly bytes?: Buffer | undefined;
  /** The filename of the photo, if it differs from the file's. */
  readonly filename?: string | undefined;
  readonly stats: BigIntStats;
  readonly details?: PhotoDetails | undefined;
}

/** A file that is no file of this machine's own: an entry of an archive, or an object of another store. */
export interface StreamedFile {
  /** Identifies it within its run, and in later runs. */
  readonly ref: string;
  readonly filename: string;
  /** Read once for its hash, and again for its upload where the library lacks it. */
  readonly content: Content;
  /** Differs whenever the content may differ; null when that cannot be known without reading it. */
  readonly fingerprint: string | null;
  readonly details?: PhotoDetails | undefined;
}

/** The content that is sent, wherever it is stored. */
export interface Content {
  readonly sizeBytes: number;
  /** From this byte to the end. The stream fails with `FileProblem` or an error of the system when it cannot be read. */
  open(start: number): Promise<Readable> | Readable;
}

/** Makes what `runImport` takes, and holds what the sources of a run share: threads for hashing, and connections. Close it after the run. */
export class SourceFactory {
  private readonly pool = new HashPool();
  /** Connections that uploads share. */
  private readonly agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

  file(file: LocalFile): ImportSource {
    const { ref, path, bytes, filename = basename(path), stats, details } = file;
    const sizeBytes = Number(stats.size);
    const location = bytes ?? path;
    const open = (start: number) =>
      createReadStream(location, { start, end: sizeBytes - 1, highWaterMark: 256 * 1024 });
    // The change time too: the modification time can be set back by the program that edits a file.
    const fingerprint = [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(':');
    const source = this.stream({ ref, filename, content: { open, sizeBytes }, fingerprint, details });
    return { ...source, sha256: (signal) => this.pool.sha256(location, signal) };
  }

  stream(file: StreamedFile): ImportSource {
    const { ref, filename, content, fingerprint, details } = file;
    return {
      ref,
      filename: photoName(filename),
      sizeBytes: content.sizeBytes,
      ...(details && { details }),
      fingerprint,
      sha256: (signal) => sha256(content, signal),
      send: (request, onBytes, signal) => sendContent(this.agents, content, request, onBytes, signal),
    };
  }

  async close(): Promise<void> {
    this.agents.http.destroy();
    this.agents.https.destroy();
    await this.pool.close();
  }
}

async function sha256(content: Content, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of await content.open(0)) {
      signal.throwIfAborted();
      hash.update(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof FileProblem ? error : unreadable(problemOf(error));
  }
  return hash.digest('hex');
}

/** Without a byte moving for so long an upload is given up, and tried again. */
const IDLE_MS = 60_000;

/**
 * Sends content, from a byte on, with exactly the headers of the request; never more than `sizeBytes` of it, and never the whole of it in
 * memory. Not by fetch: that sends a stream without the Content-Length which is part of the signature.
 */
async function sendContent(
  agents: { readonly http: HttpAgent; readonly https: HttpsAgent },
  { open, sizeBytes }: Content,
  upload: UploadRequest,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const rest = sizeBytes - upload.start;
  const file = await open(upload.start);
  return new Promise((resolve, reject) => {
    const headers = { ...upload.headers, 'content-length': String(rest) };
    const options = { method: upload.method, headers, signal, timeout: IDLE_MS };
    const request =
      new URL(upload.url).protocol === 'http:'
        ? httpRequest(upload.url, { ...options, agent: agents.http })
        : httpsRequest(upload.url, { ...options, agent: agents.https });
    const end = (settle: () => void) => {
      file.destroy();
      settle();
    };
    const fail = (error: Error) => {
      request.destroy();
      end(() => reject(error));
    };
    let sent = 0;
    file.on('data', (chunk: Uint8Array) => {
      sent += chunk.length;
      if (sent > rest) fail(changed('longer'));
      else onBytes(chunk.length);
    });
    file.on('error', (error: Error) => fail(error instanceof FileProblem ? error : unreadable(problemOf(error))));
    file.on('end', () => {
      if (sent === rest) request.end();
      else fail(changed('shorter'));
    });
    request.on('timeout', () => fail(new Error('no bytes were accepted for a minute')));
    request.on('error', (error) => end(() => reject(signal.aborted ? signal.reason : error)));
    // It may come before everything was sent: then what is left of the file is of no interest.
    request.on('response', (response: IncomingMessage) => {
      text(response).then(
        (body) => end(() => resolve(uploadAnswer(response.statusCode ?? 0, body))),
        (error) => end(() => reject(error)),
      );
    });
    file.pipe(request, { end: false });
  });
}

function changed(how: 'longer' | 'shorter'): FileProblem {
  return new FileProblem('file_changed', `The file became ${how} during the import. Run the import again.`);
}
