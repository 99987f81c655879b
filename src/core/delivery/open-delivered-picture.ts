import { openRendition, type RenditionUses } from '../photos/open-rendition.js';
import { readVisiblePhoto } from '../photos/read-photo.js';
import type { Clock } from '../shared/clock.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import {
  type AcceptedFormats,
  type DeliveredDownload,
  deliveredPicture,
  deliveredRendition,
  deliveredTag,
} from './delivered-picture.js';
import { type DeliveryAddress, signingKey } from './delivery-address.js';
import type { DeliveryKeyFinder } from './delivery-key-repository.js';
import { parseDeliveryOptions } from './delivery-options.js';
import { resolveOptions } from './resolve-options.js';

type DeliveryUses = RenditionUses & {
  store: Readable<'photos' | 'presets'>;
  deliveryKeys: DeliveryKeyFinder;
  secrets: Secrets;
  clock: Clock;
};

/**
 * The picture that a signed address shows. Nothing is read for an address that its key has not signed. Errors: `url_forbidden`;
 * `invalid_request` (options); `not_found` (photo; when opened, also `rendition`); `service_unavailable`.
 */
export async function openDeliveredPicture(
  uses: DeliveryUses,
  address: DeliveryAddress,
  accepted: AcceptedFormats,
): Promise<DeliveredDownload> {
  const { key, expiresAt } = await signingKey(uses, address);
  const options = await resolveOptions(uses, key, parseDeliveryOptions(address.options));
  const photo = await readVisiblePhoto(uses, key, address.photoId);
  const rendition = deliveredRendition(photo, deliveredPicture(photo, options, accepted));
  const { format } = rendition.transformation;
  const isNegotiated = (options.f ?? 'auto') === 'auto';
  let isNew = false;
  const onStart = () => {
    isNew = true;
  };
  return {
    ...openRendition(uses, photo, rendition, onStart),
    deliveryKeyId: key.id,
    get isNew() {
      return isNew;
    },
    tag: deliveredTag(photo, rendition),
    format,
    isNegotiated,
    expiresAt,
  };
}
