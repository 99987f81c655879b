import { createHash } from 'node:crypto';
import contentDisposition from 'content-disposition';
import { pictureBytes } from '../../../testing/memory/memory-media-reader.js';
import type { Answer } from './http-client.js';
import type { Actor, RunningApp } from './start-app.js';

/** A picture of its own: the title makes its bytes differ from those of all others. */
export function picture(title: string, facts: Partial<Parameters<typeof pictureBytes>[0]> = {}): Uint8Array {
  return pictureBytes({ width: 400, height: 300, title, ...facts });
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface FilePart {
  readonly name?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: Uint8Array | string;
}

/** A multipart/form-data body as clients make them. */
export function multipart(parts: readonly FilePart[], boundary = 'the-boundary'): { body: Buffer; type: string } {
  const chunks = parts.flatMap(({ name = 'file', filename, type, content }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(filename === undefined ? '' : `; filename="${filename}"`),
    Buffer.from(type === undefined ? '' : `\r\nContent-Type: ${type}`),
    Buffer.from('\r\n\r\n'),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

export function postFiles(actor: Actor, importId: number, parts: readonly FilePart[]): Promise<Answer> {
  const { body, type } = multipart(parts);
  return actor.post(`/imports/${importId}/photos`, body, { 'content-type': type });
}

/** Brings pictures into the library, in one import; the photos as GET shows them, in the order of the files. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into photos field by field.
export async function importPhotos(app: RunningApp, actor: Actor, files: readonly FilePart[]): Promise<any[]> {
  const { id } = (await actor.post('/imports')).body;
  const registered = await postFiles(actor, id, files);
  if (registered.status !== 201) throw new Error(registered.text);
  await app.work();
  await actor.post(`/imports/${id}/finalize`);
  await app.work();
  const ids: number[] = registered.body.data.map((result: { photo: { id: number } }) => result.photo.id);
  const photos = await Promise.all(ids.map((photoId) => actor.get(`/photos/${photoId}`)));
  return photos.map((answer) => answer.body);
}

/** What a client makes of Content-Disposition (RFC 6266): the extended name where there is one. */
export function contentDispositionOf({ headers }: Answer): { type: string; filename: string | undefined } {
  const { type, parameters } = contentDisposition.parse(String(headers['content-disposition']));
  return { type, filename: parameters['filename'] };
}
