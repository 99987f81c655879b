import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Client, sha256 } from './client.js';
import { until } from './processes.js';

/** Without XMP, for which each decoder starts a thread: that takes longer than all that it does besides with a small photo. */
const small = readFileSync(join(__dirname, '../../fixtures/photos/grayscale.jpg'));

/** A real photo whose bytes nobody else has: with a comment after its first marker (ITU-T T.81, B.2.4.5), which no decoder looks at. */
export function photoNamed(name: string, jpeg: Uint8Array = small): Uint8Array {
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
  /**
   * Whether 409 `idempotency_in_progress` is an answer to expect, where the database is away and a living process cannot give a key back:
   * it is free within half a minute. Elsewhere no key may be held by a run that has ended.
   */
  readonly keysStayClaimed?: boolean;
}

/**
 * What a patient client does with one import, whatever happens to the service meanwhile: what has no answer is asked again until it has
 * one, each write under an Idempotency-Key of its own. Each expectation is about what was acknowledged before: photos are imported once, byte for byte; the trash gives back; what is
 * deleted for ever stays deleted; a discarded import leaves nothing in the library.
 */
export async function liveThrough(client: Client, name: string, patience: Patience = {}): Promise<void> {
  const [kept, dropped, unused] = ['kept', 'dropped', 'unused'].map((kind) => photoNamed(`${name} ${kind}`)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const importId = await filled(client, name, [kept, dropped], patience);
  const write: Write = (statuses, ask) => expectWritten(statuses, ask, patience);
  await write([200, 202], (key) => client.post(`/imports/${importId}/finalize`, undefined, key));
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

  await write([200], (key) => client.patch(`/photos/${keptId}`, { title: name }, key));
  // 404: an earlier attempt did it, and a clock that jumped ahead made its key forgotten.
  const deleted = patience.addressesExpire ? [204, 404] : [204];
  await write(deleted, (key) => client.delete(`/photos/${keptId}`, key));
  await expectAnswer([404], () => client.get(`/photos/${keptId}`));
  await write(deleted, (key) => client.delete(`/photos/${droppedId}?permanent=true`, key));

  const discardedId = await filled(client, `${name}, discarded`, [unused], patience);
  await write([200], (key) => client.post(`/imports/${discardedId}/finalize`, { action: 'discard' }, key));

  await write([200], (key) => client.patch(`/photos/${keptId}`, { trashed: false }, key));
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
  const write: Write = (statuses, ask) => expectWritten(statuses, ask, patience);
  const { body } = await write([200, 201], (key) => client.post('/imports', { clientRef }, key));
  const photos = files.map((bytes, index) => ({
    filename: `${index}.jpg`,
    clientRef: String(index),
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
  }));
  const registered = await write([200, 201], (key) => client.post(`/imports/${body.id}/photos`, { photos }, key));
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

type Write = (
  statuses: readonly number[],
  ask: (key: Readonly<Record<string, string>>) => Promise<Answer>,
) => Promise<Answer>;

/** Asks under one key until there is an answer. */
function expectWritten(
  statuses: readonly number[],
  ask: Parameters<Write>[1],
  { keysStayClaimed = false, seconds }: Patience,
): Promise<Answer> {
  const key = { 'Idempotency-Key': randomUUID() };
  const isHeld = ({ body }: Answer) => keysStayClaimed && body?.error?.code === 'idempotency_in_progress';
  const answered = async () => {
    const answer = await persist(() => ask(key));
    return isHeld(answer) ? false : [answer];
  };
  return expectAnswer(statuses, async () => (await until('the key to be free', answered, seconds))[0] as Answer);
}

async function expectAnswer(statuses: readonly number[], ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await persist(ask);
  if (!statuses.includes(answer.status)) {
    throw new Error(`${statuses.join(' or ')} was expected, not ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

/** Asks again while the service is away: a connection that is refused or cut, or 503. */
export async function persist<T>(ask: () => Promise<T>): Promise<T> {
  return until('an answer', async () => {
    try {
      const answer = await ask();
      return isAway(answer) ? false : [answer];
    } catch (error) {
      if (isAway(error)) return false;
      // What fetch throws when there is no answer; by its name, because its class is of another realm than a test's.
      if ((error as Error).name === 'TypeError') return false;
      throw error;
    }
  }).then(([answer]) => answer as T);
}

function isAway(answered: unknown): boolean {
  return (answered as Partial<Answer>).status === 503;
}
