import type { PhotoPair } from '../../../core/photos/similar/similar-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { instant, key, tableOf } from '../database/columns.js';

export interface SeparatedPhotos extends PhotoPair {
  readonly customerId: Id;
  readonly createdAt: Date;
}

export const separatedPhotosTable = tableOf<SeparatedPhotos>('separatedPhotos', 'separated_photos', {
  customerId: key,
  photoId: key,
  otherId: key,
  createdAt: instant,
});
