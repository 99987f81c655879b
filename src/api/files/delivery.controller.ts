import { hash } from 'node:crypto';
import { All, Controller, Get, HttpCode, Inject, Options, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AcceptedFormats, DeliveredDownload } from '../../core/delivery/delivered-picture.js';
import { type DeliveryAddress, forbiddenAddress, openDeliveredPicture } from '../../core/delivery/signed-address.js';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import { parseId } from '../../core/shared/ids.js';
import { NoKeyRequired } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { DELIVERY_PATH } from '../../http/public-addresses.js';
import { type Sendable, sendDownload } from '../../http/responses/send-download.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { headerOf } from '../../http/server/request.js';
import type { HeaderName } from '../openapi/headers.js';
import { Documented, DocumentTag, pictureAnswers } from '../openapi/operation.js';
import { deliveryParameters, ifNoneMatchHeader, rangeParameters } from '../openapi/parameters.js';
import { nginxCacheHeaders, OnEveryResponse, openToPages, otherMethod, preflight } from './any-origin.js';

const METHODS = 'GET, HEAD, OPTIONS';
const PATH = ':deliveryKeyId/:photoId/:imageOptions';
const fileHeaders: readonly HeaderName[] = ['ETag', 'Accept-Ranges', 'Content-Disposition', 'Cache-Tag'];

/** Addresses that servers of customers sign themselves. */
@DocumentTag('Signed URLs')
@Controller(DELIVERY_PATH)
@NoKeyRequired()
@OnEveryResponse(openToPages)
export class DeliveryController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  @Get(PATH)
  @Documented({
    operationId: 'showDeliveredPicture',
    summary: 'Retrieve a photo in any size and format',
    description:
      'Your own server makes and signs these URLs, with a delivery key. The signature is the HMAC-SHA-256 of the path from `/img/` on, and of `?exp=…` if the URL has it, under the secret of the key. It is checked before anything else; the URL is used exactly as it was signed. The picture is upright, in sRGB, and free of metadata.',
    path: deliveryParameters,
    headers: [ifNoneMatchHeader, ...rangeParameters],
    answers: pictureAnswers('The image.', 'image', fileHeaders),
    errors: ['url_forbidden', 'invalid_request', 'not_found', 'precondition_failed', 'range_not_satisfiable'],
  })
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const download = await openDeliveredPicture(this.ports, deliveryAddressOf(request), acceptedFormats(request));
    this.traffic.followBytes(request, response, download.photo.customerId, 'images');
    response.once('close', () => this.count(download, request, response));
    // Not handed to nginx: it would not store what it sends itself.
    await sendDownload(request, response, this.sendable(download));
  }

  @Options(PATH)
  @HttpCode(204)
  preflight(@Res({ passthrough: true }) response: Response): void {
    preflight(response, METHODS);
  }

  @All(PATH)
  other(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    throw otherMethod(request, response, METHODS);
  }

  private sendable(download: DeliveredDownload): Sendable {
    const { photo, tag, format, isNegotiated } = download;
    const lifetime = () => this.lifetime(download);
    return {
      ...download,
      // Made again, from another source, it has other bytes.
      entityTag: (info) => `"${tag}-${hash('sha256', info.etag).slice(0, 16)}"`,
      // A preset may have changed since the photo did.
      lastModified: null,
      // Visitors of a page need not know what the file was called.
      filename: `${photo.id}.${format === 'jpeg' ? 'jpg' : format}`,
      disposition: 'inline',
      // Evaluated when the response begins: generating the picture may have taken seconds.
      get headers() {
        return { ...lifetime(), 'Cache-Tag': `photo-${photo.id}`, ...(isNegotiated && { Vary: 'Accept' }) };
      },
    };
  }

  /** Counts a delivery. An answer without a body counts as well, and one that was cut off with all its bytes: a cache asked for it. */
  private count(download: DeliveredDownload, { method }: Request, response: Response): void {
    if (response.statusCode >= 400) return;
    const hasBody = method === 'GET' && response.statusCode !== 304;
    const bytes = hasBody ? Number(response.getHeader('Content-Length') ?? 0) : 0;
    const { photo, deliveryKeyId, isNew } = download;
    this.traffic.notePicture({ customerId: photo.customerId, deliveryKeyId, bytes, isNew });
  }

  /** No cache may retain a picture longer than its URL is valid. */
  private lifetime({ expiresAt }: DeliveredDownload): Record<string, string> {
    const now = this.ports.clock.now().getTime();
    const valid = expiresAt === null ? Number.POSITIVE_INFINITY : Math.floor((expiresAt.getTime() - now) / SECOND);
    const fresh = Math.max(0, Math.min(valid, this.options.deliveryMaxAge));
    // For so long a cache may answer with a stale one, while it asks for the current one. Who sets 0 wants every request to be checked.
    const stale = fresh === 0 ? 0 : Math.min(valid - fresh, 60);
    return {
      'Cache-Control': `public, max-age=${fresh}, stale-while-revalidate=${stale}`,
      ...nginxCacheHeaders(fresh),
    };
  }
}

/** The signature is last. Before it is what it covers: the path and, where there is one, the expiry time; and nothing else. */
const PARTS = `/${DELIVERY_PATH}/([^/?]+)/([^/?]+)/([^/?]+)`;
const SIGNATURE = 'sig=([A-Za-z0-9_-]{43})';
const ADDRESS = new RegExp(`^(?:(${PARTS})[?]|(${PARTS}[?]exp=([1-9][0-9]{0,10}))&)${SIGNATURE}$`);

/** Reads an address as it was sent, without decoding anything. Errors: `url_forbidden` if no key can have signed it. */
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
