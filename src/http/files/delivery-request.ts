import type { Request } from 'express';
import { type DeliveryAddress, forbiddenAddress } from '../../core/delivery/deliver.js';
import type { AcceptedFormats } from '../../core/delivery/delivered-picture.js';
import { SECOND } from '../../core/shared/clock.js';
import { parseId } from '../../core/shared/ids.js';
import { DELIVERY_PATH } from '../public-addresses.js';
import { headerOf } from '../server/headers.js';

/** The signature is last. Before it is what it covers: the path and, where there is one, the expiry time; and nothing else. */
const PARTS = `/${DELIVERY_PATH}/([^/?]+)/([^/?]+)/([^/?]+)`;
const SIGNATURE = 'sig=([A-Za-z0-9_-]{43})';
const ADDRESS = new RegExp(`^(?:(${PARTS})[?]|(${PARTS}[?]exp=([1-9][0-9]{0,10}))&)${SIGNATURE}$`);

/** Reads an address as it was sent, without decoding anything. Errors: `url_forbidden` if nobody can have signed it. */
export function deliveryAddressOf({ url }: Pick<Request, 'url'>): DeliveryAddress {
  const found = ADDRESS.exec(url);
  if (found === null) throw forbiddenAddress();
  const [, ...all] = found;
  const [signed = '', keyId = '', photo = '', options = ''] = all[0] === undefined ? all.slice(4) : all;
  const [expires, signature = ''] = all.slice(8);
  return {
    keyId,
    // No photo has this id.
    photoId: parseId(photo) ?? 0,
    options,
    expiresAt: expires === undefined ? null : new Date(Number(expires) * SECOND),
    signed,
    signature,
  };
}

/**
 * The formats that a client names (RFC 9110 §12.5.1). Wildcards do not count: clients that send them accept, but do not always show, every
 * format.
 */
export function acceptedFormats(request: Pick<Request, 'headers'>): AcceptedFormats {
  const ranges = (headerOf(request, 'accept') ?? '').toLowerCase().split(',');
  const accepts = (format: string) =>
    ranges.some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      return type === `image/${format}` && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    });
  return new Set((['avif', 'webp'] as const).filter(accepts));
}
