import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { Share } from '../../core/shares/share.js';
import { sharedPicturePath } from './share-paths.js';

/** What visitors learn of a photo: nothing of where, with what and under what name it was taken, unless they may download it. */
export function sharedPhotoView(token: string, { mayDownload }: Share, photo: PhotoWithTags) {
  const { id, title, width, height, thumbhash, dominantColor } = photo;
  return {
    ...{ id, title, width, height, thumbhash, dominantColor },
    thumb: sharedPicturePath(token, id, 'thumb'),
    preview: sharedPicturePath(token, id, 'preview'),
    large: sharedPicturePath(token, id, 'large'),
    download: mayDownload ? sharedPicturePath(token, id, 'download') : null,
  };
}
