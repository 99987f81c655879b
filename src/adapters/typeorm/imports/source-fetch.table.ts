import type { SourceFetch } from '../../../core/imports/fetch/source-fetch.js';
import { bigWhole, key, optionalBigWhole, optionalText, tableOf, text, whole } from '../database/columns.js';

/** A fetch; only its holder is given the lease. */
interface SourceFetchRow extends SourceFetch {
  readonly lease: string | null;
}

export const sourceFetchTable = tableOf<SourceFetchRow>('sourceFetch', 'source_fetches', {
  customerId: key,
  itemId: key,
  importId: bigWhole,
  uploadId: bigWhole,
  apiKeyId: optionalBigWhole,
  url: text,
  host: text,
  declaredBytes: optionalBigWhole,
  validator: optionalText,
  failures: whole,
  lease: { ...optionalText, select: false },
});
