import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import type { PasskeySite } from '../../src/core/shared/addresses.js';

/** What an honest browser and device would not do, or what devices differ in. */
export interface Conduct {
  /** Where the browser says that the page is. */
  readonly origin?: string;
  /** The site for which the device signs. */
  readonly siteId?: string;
  /** Whether the device checked the person; default: it did. */
  readonly verifiesUser?: boolean;
  readonly counter?: number;
  /** Whose the device says that the passkey is; null: it does not say. */
  readonly handle?: string | null;
  readonly crossOrigin?: boolean;
  readonly credentialId?: string;
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

/** A device with one passkey, in software: ECDSA with P-256, as WebAuthn describes it (sections 5.8.1, 6.1, 6.5). */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(16).toString('base64url');
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private counter = 0;

  constructor(
    private readonly site: PasskeySite,
    /** Zero: the device does not count, as those that synchronize their passkeys. */
    private readonly step = 1,
  ) {}

  /** The answer of a browser in which the passkey was made. `statement`: what the maker of the device says about it. */
  made(challenge: string, conduct: Conduct = {}, statement: ReadonlyMap<string, unknown> = new Map()): string {
    const id = conduct.credentialId ?? this.credentialId;
    const rawId = Buffer.from(id, 'base64url');
    const length = Buffer.from([rawId.length >> 8, rawId.length & 0xff]);
    const data = Buffer.concat([this.data(conduct, ATTESTED), Buffer.alloc(16), length, rawId, this.publicKey()]);
    const attestation = new Map<string, unknown>([
      ['fmt', statement.size === 0 ? 'none' : 'packed'],
      ['attStmt', statement],
      ['authData', new Uint8Array(data)],
    ]);
    return this.worded(id, {
      clientDataJSON: this.clientData('webauthn.create', challenge, conduct),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
    });
  }

  /** The answer of a browser in which the passkey was used. */
  used(challenge: string, handle: string | null, conduct: Conduct = {}): string {
    const clientDataJSON = this.clientData('webauthn.get', challenge, conduct);
    const data = this.data(conduct, 0);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const owner = conduct.handle === undefined ? handle : conduct.handle;
    return this.worded(conduct.credentialId ?? this.credentialId, {
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, hash]), this.keys.privateKey).toString('base64url'),
      ...(owner !== null && { userHandle: Buffer.from(owner).toString('base64url') }),
    });
  }

  private data({ siteId, verifiesUser = true, counter }: Conduct, more: number): Buffer {
    this.counter += this.step;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? this.counter);
    const flags = PRESENT | (verifiesUser ? VERIFIED : 0) | more;
    const site = createHash('sha256').update(siteId ?? this.site.id);
    return Buffer.concat([site.digest(), Buffer.from([flags]), count]);
  }

  private clientData(type: string, challenge: string, { origin, crossOrigin = false }: Conduct): string {
    const data = { type, challenge, origin: origin ?? this.site.origin, crossOrigin };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  private worded(id: string, response: object): string {
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  /** As a COSE key. */
  private publicKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const key = new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]);
    return Buffer.from(isoCBOR.encode(key as never));
  }
}
