import { originalKey, stagingKey } from '../blobs/blob-key.js';
import type { ImportPhoto } from '../imports/import-photo.js';
import { everyBatch } from '../shared/every-page.js';
import type { Id } from '../shared/ids.js';
import { faultOf } from './check-bytes.js';
import type { CheckOptions, CheckUses } from './check-photo.js';
import type { Findings } from './findings.js';

const BATCH = 200;

/** I1 for items that are not photos yet: the uploaded bytes exist until the item is published. */
export async function checkItems(
  uses: CheckUses,
  customerId: Id,
  options: CheckOptions,
  findings: Findings,
): Promise<void> {
  const read = (after: Id | null) =>
    uses.store.query(customerId, (reader) => reader.importPhotos.withBytes(after, BATCH));
  for await (const batch of everyBatch(BATCH, read)) {
    for (const item of batch) await checkItem(uses, item, options, findings);
  }
}

async function checkItem(uses: CheckUses, item: ImportPhoto, options: CheckOptions, findings: Findings): Promise<void> {
  findings.count('items');
  const isReady = item.status === 'ready';
  const fault = await faultOf(uses, isReady ? originalKey(item) : stagingKey(item), isReady ? item : unknown, options);
  if (fault === null) return;
  const { customerId, importId, id, status } = item;
  const now = await uses.store.query(customerId, (reader) => reader.importPhotos.get(importId, id));
  if (now?.status !== status || now.uploadId !== item.uploadId) return;
  const message = `The file of item ${id} of import ${importId}, which is ${status}, ${fault.message}`;
  findings.report('I1', message, { customerId, photoId: id, importId });
}

/** Inspection has not compared the bytes with the declaration yet: differences fail there, with a message for the client. */
const unknown = { sizeBytes: null, sha256: null };
