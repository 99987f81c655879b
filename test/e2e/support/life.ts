import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Client, sha256 } from './client.js';
import { until } from './processes.js';

const flower = readFileSync(join(__dirname, '../../fixtures/photos/notocactus.jpg'));

/** A real photo whose bytes nobody else has: with a comment after its first marker (ITU-T T.81, B.2.4.5), which no decoder looks at. */
export function photoNamed(name: string, jpeg: Uint8Array = flower): Uint8Array {
  const comment = Buffer.from(name);
  const segment = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), segment, comment, jpeg.subarray(2)]));
}

export interface Patience {
  /** How long an import may take, where the service is away again and again; else a minute. */
  readonly seconds?: number;
  /**
   * Whether 403 `upload_forbidden` is an answer to expect, where a clock jumps ahead of an address: then the client does what its message
   * says, and asks for a fresh one. Elsewhere an address that ends before its time must be seen.
   */
  readonly addressesExpire?: boolean;
}

/**
 * What a patient client does with one import, whatever happens to the service meanwhile: what has no answer is asked again until it has
 * one. Each expectation is about what was acknowledged before: photos are imported once, byte for byte; the trash gives back; what is
 * deleted for ever stays deleted; a discarded import leaves nothing in the library.
 */
export async function liveThrough(client: Client, name: string, patience: Patience = {}): Promise<void> {
  const [kept, dropped, unused] = ['kept', 'dropped', 'unused'].map((kind) => photoNamed(`${name} ${kind}`)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const importId = await filled(client, name, [kept, dropped], patience);
  await expectAnswer([200, 202], () => client.post(`/imports/${importId}/finalize`));
  const ended = async () => {
    const { body } = await persist(() => client.get(`/imports/${importId}?include=photos`));
    return body.status === 'processing' ? false : body;
  };
  const items = await until('the import to end', ended, patience.seconds);
  const outcomes = items.photos.data.map(({ status, error }: { status: string; error: unknown }) => ({
    status,
    error,
  }));
  expect(outcomes).toEqual(Array(2).fill({ status: 'imported', error: null }));
  expect(items).toMatchObject({ status: 'completed', counts: { total: 2, imported: 2 } });
  const [keptId, droppedId] = items.photos.data.map((item: { photoId: number }) => item.photoId);

  await expectAnswer([200], () => client.patch(`/photos/${keptId}`, { title: name }));
  // 404: an earlier attempt did it, whose answer was lost.
  await expectAnswer([204, 404], () => client.delete(`/photos/${keptId}`));
  await expectAnswer([404], () => client.get(`/photos/${keptId}`));
  await expectAnswer([204, 404], () => client.delete(`/photos/${droppedId}?permanent=true`));

  const discardedId = await filled(client, `${name}, discarded`, [unused], patience);
  await expectAnswer([200], () => client.post(`/imports/${discardedId}/finalize`, { action: 'discard' }));

  await expectAnswer([200], () => client.patch(`/photos/${keptId}`, { trashed: false }));
  const found = await expectAnswer([200], () => client.get(`/photos/${keptId}`));
  expect(found.body).toMatchObject({ title: name, trashedAt: null, sha256: sha256(kept), importId });
  expect(sha256(await persist(() => client.bytes(`/photos/${keptId}/download`)))).toBe(sha256(kept));
  await expectAnswer([404], () => client.get(`/photos/${droppedId}?trashed=any`));
  const hashes = [kept, dropped, unused].map(sha256).join(',');
  const { body } = await expectAnswer([200], () => client.get(`/photos?trashed=any&sha256=${hashes}`));
  expect(body.data.map((photo: { id: number }) => photo.id)).toEqual([keptId]);
}

/** An import with these files, all of them uploaded. */
async function filled(
  client: Client,
  clientRef: string,
  files: readonly Uint8Array[],
  patience: Patience,
): Promise<number> {
  const { body } = await expectAnswer([200, 201], () => client.post('/imports', { clientRef }));
  const photos = files.map((bytes, index) => ({
    filename: `${index}.jpg`,
    clientRef: String(index),
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
  }));
  const registered = await expectAnswer([200, 201], () => client.post(`/imports/${body.id}/photos`, { photos }));
  for (const [index, { photo }] of registered.body.data.entries()) {
    await send(client, body.id, photo, files[index] as Uint8Array, patience);
  }
  return body.id;
}

/** PUTs bytes to the address of an item; null is the address of one that has its bytes. */
async function send(
  client: Client,
  importId: number,
  { id, upload }: { id: number; upload: Parameters<Client['upload']>[0] | null },
  bytes: Uint8Array,
  { addressesExpire = false }: Patience,
): Promise<void> {
  let address = upload;
  await until('the bytes to be taken', async () => {
    if (address === null) return true;
    const there = address;
    const answer = await expectAnswer(addressesExpire ? [204, 403] : [204], () => client.upload(there, bytes));
    if (answer.status === 204) return true;
    expect(answer.body.error.code).toBe('upload_forbidden');
    const { body } = await expectAnswer([200], () => client.get(`/imports/${importId}?include=photos`));
    address = body.photos.data.find((item: { id: number }) => item.id === id).upload;
    return false;
  });
}

async function expectAnswer(statuses: readonly number[], ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await persist(ask);
  if (!statuses.includes(answer.status)) {
    throw new Error(`${statuses.join(' or ')} was expected, not ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

/** Asks again while the service is away: a connection that is refused or cut, or 503. */
async function persist<T>(ask: () => Promise<T>): Promise<T> {
  return until('an answer', async () => {
    try {
      const answer = await ask();
      const away = (answer as Partial<Answer>).status === 503;
      return away ? false : [answer];
    } catch (error) {
      // What fetch throws when there is no answer; by its name, because its class is of another realm than a test's.
      if ((error as Error).name === 'TypeError') return false;
      throw error;
    }
  }).then(([answer]) => answer as T);
}
