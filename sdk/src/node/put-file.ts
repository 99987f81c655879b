import { createReadStream } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { FileProblem, type UploadAnswer, uploadAnswer } from '../import/source.js';
import type { UploadTarget } from '../resources.js';
import { unreadable } from './hash-pool.js';

/** Without a byte moving for so long an upload is given up, and tried again. */
const IDLE_MS = 60_000;

/** Connections that uploads share. */
export class Connections {
  private readonly http = new HttpAgent({ keepAlive: true });
  private readonly https = new HttpsAgent({ keepAlive: true });

  request(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const options = { method: 'PUT', headers, signal, timeout: IDLE_MS };
    if (new URL(url).protocol === 'http:') return httpRequest(url, { ...options, agent: this.http });
    return httpsRequest(url, { ...options, agent: this.https });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

/**
 * PUTs a file to a signed target with exactly the headers that it asks for; never more than `sizeBytes` of it, and never the whole of it in
 * memory. Not by fetch: that sends a stream without the Content-Length which is part of the signature.
 */
export function putFile(
  connections: Connections,
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes: number },
  target: UploadTarget,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ...target.headers, 'content-length': String(sizeBytes) };
    const request = connections.request(target.url, headers, signal);
    const file = createReadStream(path, { end: sizeBytes - 1, highWaterMark: 256 * 1024 });
    const end = (settle: () => void) => {
      file.destroy();
      settle();
    };
    const fail = (error: Error) => {
      request.destroy();
      end(() => reject(error));
    };
    let sent = 0;
    file.on('data', (chunk) => {
      sent += chunk.length;
      onBytes(chunk.length);
    });
    file.on('error', (error: NodeJS.ErrnoException) => fail(unreadable(error.code ?? error.message)));
    file.on('end', () => {
      if (sent === sizeBytes) request.end();
      else fail(new FileProblem('file_changed', 'The file became shorter during the import. Run the import again.'));
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
