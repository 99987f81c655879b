import { ChecksumError } from './errors.js';

/** A download in progress. Read it once: by `bytes()`, or by `stream`. */
export class Download {
  constructor(private readonly response: Response) {}

  /** The bytes as they arrive, unchecked: to store them, compare `sha256` and `sizeBytes` yourself. */
  get stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.response.body ?? new Blob([]).stream();
  }

  /** The size of the whole, if this is a part; null when the service does not say. */
  get sizeBytes(): number | null {
    const total = /\/(\d+)$/.exec(this.header('content-range') ?? '')?.[1] ?? this.header('content-length');
    return total === null || total === undefined ? null : Number(total);
  }

  /** Whether this begins at the requested position, and not at the first byte. */
  get isPart(): boolean {
    return this.response.status === 206;
  }

  /** SHA-256 of the original in hex (`Repr-Digest`, RFC 9530); null for renditions, which are regenerated and have none. */
  get sha256(): string | null {
    const digest = /sha-256=:([^:]+):/.exec(this.header('repr-digest') ?? '')?.[1];
    if (digest === undefined) return null;
    // 32 bytes in base64: any other value identifies no content.
    if (!/^[A-Za-z0-9+/]{43}=$/.test(digest)) throw new ChecksumError('The digest of the bytes is malformed.');
    return hex(Uint8Array.from(atob(digest), (char) => char.charCodeAt(0)));
  }

  get contentType(): string {
    return this.header('content-type') ?? 'application/octet-stream';
  }

  /** Identifies exactly these bytes. */
  get etag(): string | null {
    return this.header('etag');
  }

  /** The file name of the photo or its rendition; null when the service does not say. */
  get filename(): string | null {
    const disposition = this.header('content-disposition') ?? '';
    const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
    if (encoded !== undefined) return decoded(encoded);
    return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replace(/\\(.)/g, '$1') ?? null;
  }

  /**
   * Everything, in memory, and checked.
   * @throws ChecksumError when the bytes do not match.
   */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { sha256 } = this;
    const bytes = new Uint8Array(await this.response.arrayBuffer());
    if (sha256 !== null && !this.isPart) {
      const actual = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
      if (actual !== sha256) throw new ChecksumError(`The bytes have the SHA-256 ${actual} instead of ${sha256}.`);
    }
    return bytes;
  }

  private header(name: string): string | null {
    return this.response.headers.get(name);
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
