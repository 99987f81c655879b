import type { Request } from 'express';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { Share } from '../../core/shares/share.js';
import { publicPath } from '../server/base-path.js';
import { sharedPicturePath, type VisitorSize } from './share-paths.js';

/** What visitors learn of a photo: nothing of where, with what and under what name it was taken, unless they may download it. */
export function sharedPhotoView(request: Request, token: string, { mayDownload }: Share, photo: PhotoWithTags) {
  const { id, title, width, height, thumbhash, dominantColor } = photo;
  const at = (size: VisitorSize | 'download') => publicPath(request, sharedPicturePath(token, id, size));
  return {
    ...{ id, title, width, height, thumbhash, dominantColor },
    thumb: at('thumb'),
    preview: at('preview'),
    large: at('large'),
    download: mayDownload ? at('download') : null,
  };
}
