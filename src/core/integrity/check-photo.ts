import { storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { markLost, markRecovered, type PhotoWithTags } from '../photos/photo.js';
import type { RenditionMaker } from '../photos/rendition-maker.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { faultOf } from './check-bytes.js';
import { checkThumb } from './check-thumb.js';
import { about, type Findings } from './findings.js';
import { isUnchanged, markOriginal } from './mark-original.js';

export type CheckUses = {
  store: Transactional<'photos' | 'importPhotos' | 'outbox'>;
  blobs: BlobStore;
  renditionMaker: RenditionMaker;
  clock: Clock;
};

export interface CheckOptions {
  readonly repair: boolean;
  readonly fast: boolean;
}

/** I1, of one photo. */
export async function checkPhoto(
  uses: CheckUses,
  photo: PhotoWithTags,
  options: CheckOptions,
  findings: Findings,
): Promise<void> {
  findings.count('photos');
  const fault = await faultOf(uses, storedKey(photo.blobKey), photo, options);
  if (fault === null) {
    if (photo.originalLostAt !== null && !options.fast) await reportIntact(uses, photo, options, findings);
    return checkThumb(uses, photo, options.repair, findings);
  }
  // What cannot be read now may be readable in an hour: it is not lost.
  if (options.repair && fault.kind !== 'unreadable') await markOriginal(uses, photo, markLost);
  if (!(await isUnchanged(uses, photo))) return;
  findings.report('I1', `The original of this photo ${fault.message} ${howToRestore}`, about(photo));
}

const howToRestore = 'Restore the file from a backup, or import the same file again.';

/** Somebody has restored the original that is marked as lost. */
async function reportIntact(
  uses: CheckUses,
  photo: PhotoWithTags,
  { repair }: CheckOptions,
  findings: Findings,
): Promise<void> {
  if (repair) await markOriginal(uses, photo, (held) => markRecovered(held));
  const advice = repair ? 'The mark was removed.' : 'phs verify --repair removes the mark.';
  const message = `This photo is marked as lost, but its original is intact. ${advice}`;
  findings.report('I1', message, { ...about(photo), repaired: repair });
}
