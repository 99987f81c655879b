import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { readVisiblePhoto } from '../photos/read-photo.js';
import { openRendition, type RenditionUses } from '../photos/renditions/rendition.js';
import { type Clock, isExpired } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import {
  type AcceptedFormats,
  type DeliveredDownload,
  deliveredPicture,
  deliveredRendition,
} from './delivered-picture.js';
import { type DeliveryKey, type DeliveryKeyFinder, newDeliverySecret, openDeliveryKey } from './delivery-key.js';
import { type DeliveryOptions, parseDeliveryOptions } from './delivery-options.js';

/** A secret that belongs to no key. */
const NO_SECRET = newDeliverySecret();

/**
 * The picture that a signed address shows. Nothing is read for an address that its key has not signed. Errors: `url_forbidden`;
 * `invalid_request` (options); `not_found` (photo; when opened, also `rendition`); `service_unavailable`. An address shows one picture for each format
 * that browsers accept. What limits how many are made: `MAX_DELIVERED` of a photo (photos/renditions/make.ts), `MAX_RENDITIONS_AT_ONCE`
 * of a customer (media/media-reader.ts), each once at a time, and not again soon after it failed (adapters/decorators/shared-rendition-maker.ts).
 */
export async function openDeliveredPicture(
  uses: RenditionUses & {
    store: Readable<'photos' | 'presets'>;
    deliveryKeys: DeliveryKeyFinder;
    secrets: Secrets;
    clock: Clock;
  },
  address: DeliveryAddress,
  accepted: AcceptedFormats,
): Promise<DeliveredDownload> {
  const opened = await openDeliveryKey(uses, address.keyId);
  // Calculated in any case: how long it takes does not tell whether there is such a key.
  const isSigned = isDeliverySignature(opened?.secret ?? NO_SECRET, address.signed, address.signature);
  if (opened === null || !isSigned) throw forbiddenAddress();
  const { key } = opened;
  const ends = [address.expiresAt, key.expiresAt].filter((end) => end !== null);
  const expiresAt = ends.length === 0 ? null : new Date(Math.min(...ends.map((end) => end.getTime())));
  if (isExpired({ expiresAt }, uses.clock.now())) throw forbiddenAddress();
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
    // The bytes of the original, and everything that was done to them.
    tag: hash('sha256', `${photo.sha256} ${rendition.key}`).slice(0, 32),
    format,
    isNegotiated,
    expiresAt,
  };
}

/**
 * The options of an address over those of the preset that it names. Errors: `invalid_request` when there is no such preset, or the key is
 * for presets only and the address has other options.
 */
export async function resolveOptions(
  { store }: { store: Readable<'presets'> },
  { customerId, presetsOnly }: Pick<DeliveryKey, 'customerId' | 'presetsOnly'>,
  { p, ...own }: DeliveryOptions,
): Promise<DeliveryOptions> {
  if (presetsOnly && (p === undefined || Object.keys(own).length > 0)) {
    const message = 'This delivery key is for presets only. Give p and no other option.';
    throw invalid({ field: 'options', code: 'conflict', message });
  }
  if (p === undefined) return own;
  const preset = await store.query(customerId, ({ presets }) => presets.get(p));
  if (preset === null) throw invalid({ field: 'p', code: 'invalid_format', message: `There is no preset "${p}".` });
  return { ...parseDeliveryOptions(preset.options), ...own };
}

/** The parts of a signed address, in the form in which they were sent. */
export interface DeliveryAddress {
  /** The `publicId` of a `DeliveryKey`. */
  readonly keyId: string;
  readonly photoId: Id;
  /** The options as text that `parseDeliveryOptions` reads. */
  readonly options: string;
  /** Null: it is valid as long as its key. */
  readonly expiresAt: Date | null;
  /** The part of the address that is signed. */
  readonly signed: string;
  readonly signature: string;
}

/** The same text, whatever is wrong. */
export function forbiddenAddress(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Sign it again, with a key that is valid.');
}

/**
 * The signature of an address, which any holder of the key's secret makes without asking: base64url, without padding, of the HMAC-SHA-256 under
 * the secret's characters.
 * @param signed The part of the address that is signed, as it is sent: what picture, for whom, and until when.
 */
export function deliverySignature(secret: string, signed: string): string {
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/** Compares in a time that does not depend on where two signatures differ. */
export function isDeliverySignature(secret: string, signed: string, signature: string): boolean {
  const [expected, given] = [bytesOf(deliverySignature(secret, signed)), bytesOf(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
