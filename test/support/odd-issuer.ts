import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Values = Record<string, unknown>;

/** An issuer that answers every code with the token that a test wants, however wrong. */
export class OddIssuer {
  issuer = '';
  /** Over those of a good token. */
  claims: Values = {};
  /** Over those of a good discovery document. */
  metadata: Values = {};
  userInfo: Values = {};
  /** Answers a path instead. */
  answers: Record<string, (response: ServerResponse) => void> = {};
  readonly asked: string[] = [];
  private token: Values = {};
  private key = newKey();
  private published = this.key;
  private readonly server = createServer((request, response) => this.answer(request, response));

  static async start(): Promise<OddIssuer> {
    const own = new OddIssuer();
    await new Promise<void>((resolve) => own.server.listen(0, '127.0.0.1', resolve));
    own.issuer = `http://127.0.0.1:${(own.server.address() as AddressInfo).port}`;
    return own;
  }

  reset(): void {
    Object.assign(this, { claims: {}, metadata: {}, userInfo: {}, answers: {} });
    this.published = this.key;
    this.asked.length = 0;
  }

  /** Signs with another key from now on, and publishes it or not. */
  rollKey({ isPublished }: { isPublished: boolean }): void {
    this.key = newKey();
    if (isPublished) this.published = this.key;
  }

  /** What a browser would bring back. */
  answerTo(address: string): string {
    const { searchParams } = new URL(address);
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: this.issuer, sub: 'anna-1', aud: 'photos', iat: now, exp: now + 60 };
    this.token = { ...good, nonce: searchParams.get('nonce'), email: 'anna@example.com', ...this.claims };
    return `${searchParams.get('redirect_uri')}?code=any&state=${searchParams.get('state')}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.asked.push(path);
    const special = this.answers[path];
    if (special === undefined) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(this.bodyFor(path)));
    } else {
      special(response);
    }
  }

  private bodyFor(path: string): Values {
    if (path === '/keys')
      return { keys: [{ ...this.published.publicKey.export({ format: 'jwk' }), ...ofKey(this.published) }] };
    if (path === '/token') return { access_token: 'x', token_type: 'Bearer', id_token: this.signed() };
    if (path === '/userinfo') return { sub: this.token['sub'], ...this.userInfo };
    const at = (name: string) => `${this.issuer}/${name}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      userinfo_endpoint: at('userinfo'),
      jwks_uri: at('keys'),
      id_token_signing_alg_values_supported: ['ES256'],
      ...this.metadata,
    };
  }

  private signed(): string {
    const part = (value: Values) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'ES256', kid: this.key.kid })}.${part(this.token)}`;
    const key = { key: this.key.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign('sha256', Buffer.from(signed), key);
    return `${signed}.${signature.toString('base64url')}`;
  }
}

interface Key {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let keys = 0;
function newKey(): Key {
  keys += 1;
  return { kid: `key-${keys}`, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

function ofKey({ kid }: Key): Values {
  return { kid, use: 'sig', alg: 'ES256' };
}
