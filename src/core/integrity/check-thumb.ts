import { renditionKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { defaultFormat } from '../media/renditions.js';
import type { PhotoWithTags } from '../photos/photo.js';
import { fixedRendition } from '../photos/rendition.js';
import type { RenditionMaker } from '../photos/rendition-maker.js';
import type { Transactional } from '../shared/transactional.js';
import { reasonOf } from './check-bytes.js';
import { about, type Findings } from './findings.js';
import { isUnchanged } from './mark-original.js';

/** Reports a thumb that is missing and cannot be made again. Without `repair`, missing ones are only counted. */
export async function checkThumb(
  uses: { store: Transactional<'photos' | 'outbox'>; blobs: BlobStore; renditionMaker: RenditionMaker },
  photo: PhotoWithTags,
  repair: boolean,
  findings: Findings,
): Promise<void> {
  if ((await uses.blobs.head(renditionKey(photo, 'thumb', defaultFormat(photo)))) !== null) return;
  findings.count('missingThumbs');
  if (!repair) return;
  try {
    await uses.renditionMaker.make(photo, fixedRendition(photo, 'thumb', defaultFormat(photo)));
    findings.count('remadeThumbs');
  } catch (error) {
    if (!(await isUnchanged(uses, photo))) return;
    findings.report(
      'I1',
      `The thumbnail of this photo is missing and cannot be created: ${reasonOf(error)}`,
      about(photo),
    );
  }
}
