import type { PictureFormat } from '../media/transformation.js';
import { type Download, openRendition, type RenditionUses } from '../photos/download-photo.js';
import { readVisiblePhoto } from '../photos/read-photo.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import { type AcceptedFormats, deliveredPicture, deliveredRendition, deliveredTag } from './delivered-picture.js';
import type { DeliveryKey } from './delivery-key.js';
import type { DeliveryKeyFinder } from './delivery-key-repository.js';
import { parseDeliveryOptions } from './delivery-options.js';
import { isDeliverySignature } from './delivery-signature.js';
import { openDeliveryKey } from './open-delivery-key.js';
import { resolveOptions } from './resolve-options.js';

/** The parts of a signed address, in the form in which they were sent. */
export interface DeliveryAddress {
  /** As `DeliveryKey.publicId`. */
  readonly keyId: string;
  readonly photoId: Id;
  /** As `parseDeliveryOptions` reads them. */
  readonly options: string;
  /** Null: it is valid as long as its key. */
  readonly expiresAt: Date | null;
  /** What of the address is signed. */
  readonly signed: string;
  readonly signature: string;
}

export interface DeliveredDownload extends Download {
  /** Identifies the bytes: those of another rotation, focus or preset have another. */
  readonly tag: string;
  readonly format: PictureFormat;
  readonly deliveryKeyId: Id;
  /** Once it is opened: whether it had to be made first. */
  readonly isNew: boolean;
  /** Clients that accept other formats may get another picture. */
  readonly isNegotiated: boolean;
  /** From when on its address is refused; null: not until its key is deleted. */
  readonly expiresAt: Date | null;
}

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

async function signingKey(
  uses: DeliveryUses,
  { keyId, signed, signature, expiresAt }: DeliveryAddress,
): Promise<{ key: DeliveryKey; expiresAt: Date | null }> {
  const opened = await openDeliveryKey(uses, keyId);
  // Calculated in any case: how long it takes does not tell whether there is such a key.
  const isSigned = isDeliverySignature(opened?.secret ?? NO_SECRET, signed, signature);
  if (opened === null || !isSigned) throw forbiddenAddress();
  const end = earlier(expiresAt, opened.key.expiresAt);
  if (end !== null && end.getTime() <= uses.clock.now().getTime()) throw forbiddenAddress();
  return { key: opened.key, expiresAt: end };
}

/** As long as one. */
const NO_SECRET = 'phs_sign_'.padEnd('phs_sign_'.length + 43, '-');

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The same text, whatever is wrong. */
export function forbiddenAddress(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Sign it again, with a key that is valid.');
}
