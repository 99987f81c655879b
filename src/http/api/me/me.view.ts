import { type ApiKey, displayPrefix } from '../../../core/access/api-key.js';
import type { WindowState } from '../../../core/access/rolling-window.js';
import { instant, optionalInstant } from '../../responses/wire.js';

export interface Me {
  readonly customer: object;
  readonly key: ApiKey;
  /** As in the headers of this response. */
  readonly read: WindowState;
  readonly write: WindowState;
  readonly clientIp: string;
  readonly now: Date;
}

export function meView({ customer, key, read, write, clientIp, now }: Me) {
  return {
    customer,
    apiKey: {
      id: key.id,
      name: key.name,
      prefix: displayPrefix(key),
      scopes: [...key.scopes],
      ipRestricted: key.ipList.length > 0,
      createdAt: instant(key.createdAt),
      expiresAt: optionalInstant(key.expiresAt),
    },
    rateLimit: rateLimit(read),
    rateLimits: { read: rateLimit(read), write: rateLimit(write) },
    clientIp,
    serverTime: instant(now),
  };
}

function rateLimit({ limit, remaining, reset }: WindowState) {
  return { limit, remaining, reset };
}
