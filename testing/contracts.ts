import { blobStoreContract } from '../test/contracts/blob-store.contract.js';
import { bulkTagsContract } from '../test/contracts/bulk-tags.contract.js';
import { customerDirectoryContract } from '../test/contracts/customer-directory.contract.js';
import { customerStoreContract } from '../test/contracts/customer-store.contract.js';
import { deliveryKeyFinderContract } from '../test/contracts/delivery-key-finder.contract.js';
import { directUploadsContract } from '../test/contracts/direct-uploads.contract.js';
import { gazetteerContract } from '../test/contracts/gazetteer.contract.js';
import { idempotencyStoreContract } from '../test/contracts/idempotency-store.contract.js';
import { identityProviderContract } from '../test/contracts/identity-provider.contract.js';
import { importStepsContract } from '../test/contracts/import-steps.contract.js';
import { ipCountriesContract } from '../test/contracts/ip-countries.contract.js';
import { jobQueueContract } from '../test/contracts/job-queue.contract.js';
import { keysContract } from '../test/contracts/keys.contract.js';
import { limitsContract } from '../test/contracts/limits.contract.js';
import { mailerContract } from '../test/contracts/mailer.contract.js';
import { mediaReaderContract } from '../test/contracts/media-reader.contract.js';
import { operatorTokenStoreContract } from '../test/contracts/operator-token-store.contract.js';
import { orphanRowsContract } from '../test/contracts/orphan-rows.contract.js';
import { rateWindowStoreContract } from '../test/contracts/rate-window-store.contract.js';
import { renditionMakerContract } from '../test/contracts/rendition-maker.contract.js';
import { scrubPositionContract } from '../test/contracts/scrub-position.contract.js';
import { shareFinderContract } from '../test/contracts/share-finder.contract.js';
import { sourceFetchesContract } from '../test/contracts/source-fetches.contract.js';
import { sourceReaderContract } from '../test/contracts/source-reader.contract.js';
import { tagCountsContract } from '../test/contracts/tag-counts.contract.js';
import { tombstonesContract } from '../test/contracts/tag-tombstones.contract.js';
import { tracesContract } from '../test/contracts/traces.contract.js';
import { transactionsContract } from '../test/contracts/transactions.contract.js';
import { uploadSlotsContract } from '../test/contracts/upload-slots.contract.js';
import { usersContract } from '../test/contracts/users.contract.js';
import { verifiedBlobsContract } from '../test/contracts/verified-blobs.contract.js';
import { webhookSenderContract } from '../test/contracts/webhook-sender.contract.js';
import { webhooksContract } from '../test/contracts/webhooks.contract.js';
import { type TestFunctions, useTestFunctions } from './runner.js';

const all = {
  blobStoreContract,
  bulkTagsContract,
  customerDirectoryContract,
  customerStoreContract,
  deliveryKeyFinderContract,
  directUploadsContract,
  gazetteerContract,
  idempotencyStoreContract,
  identityProviderContract,
  importStepsContract,
  ipCountriesContract,
  jobQueueContract,
  keysContract,
  limitsContract,
  mailerContract,
  mediaReaderContract,
  operatorTokenStoreContract,
  orphanRowsContract,
  rateWindowStoreContract,
  renditionMakerContract,
  scrubPositionContract,
  shareFinderContract,
  sourceFetchesContract,
  sourceReaderContract,
  tagCountsContract,
  tombstonesContract,
  tracesContract,
  transactionsContract,
  uploadSlotsContract,
  usersContract,
  verifiedBlobsContract,
  webhookSenderContract,
  webhooksContract,
};

/**
 * Returns the contract of every port, as functions that define tests: each takes a name, and a function that opens an adapter (docs/adapters.md).
 * They run by the functions of any runner, and bring their own assertions.
 */
export function contracts(functions: TestFunctions): typeof all {
  useTestFunctions(functions);
  return all;
}
