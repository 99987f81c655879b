import type { CustomerWithUsage } from '../../../core/customers/read-customer.js';
import type { Uses } from '../../../core/ports.js';
import { instant } from '../../responses/wire.js';

export function customerView({ limits, media }: Uses<'limits' | 'media'>, { customer, usage }: CustomerWithUsage) {
  return {
    id: customer.id,
    name: customer.name,
    status: customer.status,
    defaultTimeZone: customer.defaultTimeZone,
    trashRetentionDays: customer.trashRetentionDays,
    usage: {
      photos: usage.photos,
      trashedPhotos: usage.trashedPhotos,
      storageBytes: usage.storageBytes,
      trashedBytes: usage.trashedBytes,
      tags: usage.tags,
      openImports: usage.openImports,
    },
    limits: {
      storageBytes: customer.storageBytesLimit,
      photos: customer.photosLimit,
      tags: limits.tags,
      tagsPerPhoto: limits.tagsPerPhoto,
      maxFileBytes: limits.maxFileBytes,
      maxPixels: limits.maxPixels,
      importBatchSize: limits.importBatchSize,
      importMaxPhotos: limits.importMaxPhotos,
      inlineMaxFiles: limits.inlineMaxFiles,
      inlineMaxBytes: limits.inlineMaxBytes,
      openImports: limits.openImports,
    },
    formats: [...media.formats],
    createdAt: instant(customer.createdAt),
    updatedAt: instant(customer.updatedAt),
    version: customer.version,
  };
}
