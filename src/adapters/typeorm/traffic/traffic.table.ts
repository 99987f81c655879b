import type { Id } from '../../../core/shared/ids.js';
import type {
  HourCount,
  PictureCount,
  RequestCount,
  RequestFailure,
  StorageCount,
  TransferCount,
} from '../../../core/traffic/traffic.js';
import { bigWhole, generatedKey, instant, key, optionalText, tableOf, text, whole } from '../database/columns.js';

const day = { type: 'date', primary: true } as const;

export const requestCountTable = tableOf<RequestCount>('requestCount', 'request_counts', {
  customerId: key,
  apiKeyId: key,
  day,
  requests: whole,
  limited: whole,
  failed: whole,
});

export const hourCountTable = tableOf<HourCount>('hourCount', 'request_hours', {
  customerId: key,
  apiKeyId: key,
  day,
  hour: { ...whole, primary: true },
  requests: whole,
  limited: whole,
  failed: whole,
});

export const pictureCountTable = tableOf<PictureCount>('pictureCount', 'picture_counts', {
  customerId: key,
  deliveryKeyId: key,
  day,
  requests: bigWhole,
  bytes: bigWhole,
  made: bigWhole,
});

export const transferCountTable = tableOf<TransferCount>('transferCount', 'transfer_counts', {
  customerId: key,
  day,
  channel: { ...text, primary: true },
  receivedBytes: bigWhole,
  sentBytes: bigWhole,
});

export const storageCountTable = tableOf<StorageCount>('storageCount', 'storage_days', {
  customerId: key,
  day,
  photos: bigWhole,
  storageBytes: bigWhole,
  renditionBytes: bigWhole,
});

/** Those of one moment are ordered by their number. */
export const requestFailureTable = tableOf<RequestFailure & { id: Id }>('requestFailure', 'request_failures', {
  customerId: key,
  id: generatedKey,
  apiKeyId: bigWhole,
  requestId: text,
  at: instant,
  method: text,
  route: optionalText,
  status: whole,
  code: text,
});

export const trafficTables = [
  requestCountTable,
  hourCountTable,
  requestFailureTable,
  pictureCountTable,
  transferCountTable,
  storageCountTable,
];
