import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FileProblem, type UploadAnswer, type UploadRequest, uploadAnswer } from '../import/source.js';
import { problemOf, unreadable } from './hash-pool.js';

/** Without a byte moving for so long an upload is given up, and tried again. */
const IDLE_MS = 60_000;

/** The content that is sent, wherever it is stored. */
export interface Content {
  readonly sizeBytes: number;
  /** From this byte to the end. The stream fails with `FileProblem` or an error of the system when it cannot be read. */
  open(start: number): Promise<Readable> | Readable;
}

/** Connections that uploads share. */
export class Connections {
  private readonly http = new HttpAgent({ keepAlive: true });
  private readonly https = new HttpsAgent({ keepAlive: true });

  request({ url, method, headers }: UploadRequest, signal: AbortSignal) {
    const options = { method, headers, signal, timeout: IDLE_MS };
    if (new URL(url).protocol === 'http:') return httpRequest(url, { ...options, agent: this.http });
    return httpsRequest(url, { ...options, agent: this.https });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

/**
 * Sends content, from a byte on, with exactly the headers of the request; never more than `sizeBytes` of it, and never the whole of it in
 * memory. Not by fetch: that sends a stream without the Content-Length which is part of the signature.
 */
export async function sendContent(
  connections: Connections,
  { open, sizeBytes }: Content,
  upload: UploadRequest,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const rest = sizeBytes - upload.start;
  const file = await open(upload.start);
  return new Promise((resolve, reject) => {
    const headers = { ...upload.headers, 'content-length': String(rest) };
    const request = connections.request({ ...upload, headers }, signal);
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
