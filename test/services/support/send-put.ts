import { request } from 'node:http';

/** PUTs bytes with exactly these headers, wrong ones too, which fetch would put right. Resolves with the status. */
export function sendPut(url: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'PUT', headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(bytes);
  });
}
