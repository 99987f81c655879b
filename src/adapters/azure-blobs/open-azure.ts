import { setImmediate as others } from 'node:timers/promises';
import { BlobSASPermissions, ContainerClient, SASProtocol, StorageSharedKeyCredential } from '@azure/storage-blob';
import { storedKey } from '../../core/blobs/blob-key.js';
import type { OpenedBlobStore } from '../../core/blobs/blob-store-kind.js';
import type { DirectUploads, ExpectedBlob } from '../../core/blobs/direct-uploads.js';
import type { UploadAddress } from '../../core/shared/addresses.js';
import { AzureBlobStore } from './azure-blob-store.js';
import { AzureContainer, type AzureSettings, blocksFor } from './azure-container.js';

/**
 * Opens a container, which must exist; whether it does shows at the first call, so that a service can start while its store is unavailable.
 * @param maxFileBytes The largest blob that will be put.
 */
export function openAzure(settings: AzureSettings, maxFileBytes: number): OpenedBlobStore {
  const { publicEndpoint } = settings;
  const container = new AzureContainer(settings, { blocks: blocksFor(maxFileBytes) });
  return {
    blobs: new AzureBlobStore(container),
    directUploads: publicEndpoint === null ? null : new AzureDirectUploads({ ...settings, endpoint: publicEndpoint }),
    close: () => container.close(),
  };
}

/** Other work gets its turn after so many. */
const SIGNED_AT_ONCE = 50;

/**
 * Signed addresses of a container, for clients outside. A signature of Azure binds the key, the end and the kind of access; neither the
 * length nor the hash of what is sent.
 */
export class AzureDirectUploads implements DirectUploads {
  private readonly container: ContainerClient;
  private readonly protocol: SASProtocol;

  /** `settings.endpoint` is where clients reach the account. */
  constructor({ endpoint, account, key, container }: AzureSettings) {
    const url = `${endpoint.replace(/\/$/, '')}/${container}`;
    this.container = new ContainerClient(url, new StorageSharedKeyCredential(account, key));
    this.protocol = url.startsWith('https:') ? SASProtocol.Https : SASProtocol.HttpsAndHttp;
  }

  async sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly UploadAddress[]> {
    const signed: UploadAddress[] = [];
    const expiresOn = new Date(Date.now() + seconds * 1000);
    // Writing includes replacing: a client whose response was lost sends its bytes again.
    const permissions = BlobSASPermissions.from({ create: true, write: true });
    for (const { key, sizeBytes } of blobs) {
      if (signed.length % SIGNED_AT_ONCE === SIGNED_AT_ONCE - 1) await others();
      const blob = this.container.getBlockBlobClient(storedKey(key));
      const url = await blob.generateSasUrl({ permissions, expiresOn, protocol: this.protocol });
      signed.push({ url, headers: { 'content-length': String(sizeBytes), 'x-ms-blob-type': 'BlockBlob' } });
    }
    return signed;
  }

  async origin(): Promise<string> {
    return new URL(this.container.url).origin;
  }
}
