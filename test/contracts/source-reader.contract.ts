import { randomBytes } from 'node:crypto';
import {
  type SourceFailure,
  type SourceReader,
  type SourceRequest,
} from '../../src/core/imports/fetch/source-reader.js';
import { collected } from '../support/core-world.js';

/** A file at a source, and its faults. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  /** With quotes; null: there is none. */
  readonly etag?: string | null;
  readonly statesSize?: boolean;
  readonly takesRanges?: boolean;
  /** The connection is closed after so many bytes of each response. */
  readonly breaksAfter?: number;
}

export interface OpenReader {
  readonly reader: SourceReader;
  /** Stores a file where the reader may read it. Returns its URL. */
  place(file: ServedFile): string;
  /** A URL under which there is nothing. */
  readonly nowhere: string;
  close(): Promise<void>;
}

const never = new AbortController().signal;
const file = randomBytes(300_000);
const other = randomBytes(200_000);

/** What `SourceReader` promises. */
export function sourceReaderContract(name: string, open: () => Promise<OpenReader>): void {
  describe(`SourceReader: ${name}`, () => {
    let opened: OpenReader;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const read = (url: string, request: Partial<SourceRequest> = {}, stopping = never) =>
      opened.reader.open({ customerId: 1, url, from: null, maxBytes: 1_000_000, ...request }, stopping);
    /** What has arrived, and how it ended. */
    async function drain(bytes: AsyncIterable<Uint8Array>) {
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of bytes) chunks.push(chunk);
        return { arrived: Buffer.concat(chunks), failure: null };
      } catch (failure) {
        return { arrived: Buffer.concat(chunks), failure: failure as SourceFailure };
      }
    }

    it('reads a file', async () => {
      const url = opened.place({ bytes: file });
      expect(opened.reader.problem(url)).toBeNull();
      const source = await read(url);
      expect(source).toMatchObject({ offset: 0, sizeBytes: file.length, validator: '"1"' });
      expect(file.equals(await collected(source.bytes))).toBe(true);
      source.close();
      source.close();
    });

    it('continues where it was cut off', async () => {
      const url = opened.place({ bytes: file });
      const source = await read(url, { from: { offset: 100_001, validator: '"1"' } });
      expect(source).toMatchObject({ offset: 100_001, sizeBytes: file.length, validator: '"1"' });
      expect(file.subarray(100_001).equals(await collected(source.bytes))).toBe(true);
    });

    it('starts again when the file has changed since', async () => {
      const url = opened.place({ bytes: other, etag: '"2"' });
      const source = await read(url, { from: { offset: 100_000, validator: '"1"' } });
      expect(source).toMatchObject({ offset: 0, sizeBytes: other.length, validator: '"2"' });
      expect(other.equals(await collected(source.bytes))).toBe(true);
    });

    it('starts again when there is nothing after the stored bytes', async () => {
      const url = opened.place({ bytes: other });
      const source = await read(url, { from: { offset: other.length, validator: '"1"' } });
      expect(source).toMatchObject({ offset: 0, sizeBytes: other.length });
      expect(other.equals(await collected(source.bytes))).toBe(true);
    });

    it('reports that it cannot continue later', async () => {
      expect(await read(opened.place({ bytes: file, etag: null }))).toMatchObject({ validator: null });
    });

    it('reads a file whose size is not stated', async () => {
      const source = await read(opened.place({ bytes: file, statesSize: false }));
      expect(source).toMatchObject({ offset: 0, sizeBytes: null });
      expect(file.equals(await collected(source.bytes))).toBe(true);
    });

    it('returns the bytes that arrived before the connection broke', async () => {
      const source = await read(opened.place({ bytes: file, breaksAfter: 70_000 }));
      const { arrived, failure } = await drain(source.bytes);
      expect(file.subarray(0, 70_000).equals(arrived)).toBe(true);
      expect(failure).toMatchObject({ isFinal: false, error: { code: 'source_unreachable' } });
    });

    it('notices that a file without a stated size was cut off', async () => {
      const source = await read(opened.place({ bytes: file, statesSize: false, breaksAfter: 70_000 }));
      expect((await drain(source.bytes)).failure).toMatchObject({ isFinal: false });
    });

    it('refuses a file that is too large before it is read', async () => {
      const url = opened.place({ bytes: file });
      const refused = { isFinal: true, error: { code: 'file_too_large' } };
      await expect(read(url, { maxBytes: file.length - 1 })).rejects.toMatchObject(refused);
      expect(await read(url, { maxBytes: file.length })).toMatchObject({ sizeBytes: file.length });
    });

    it('reports that a file does not exist', async () => {
      await expect(read(opened.nowhere)).rejects.toMatchObject({ isFinal: true, error: { code: 'source_not_found' } });
    });

    it('stops when it is asked to', async () => {
      const url = opened.place({ bytes: file });
      const source = await read(url);
      source.close();
      const stopping = new AbortController();
      const second = await read(url, {}, stopping.signal);
      stopping.abort();
      for (const { bytes } of [source, second]) {
        const { arrived, failure } = await drain(bytes);
        // What is in memory already may still be handed out.
        expect(failure === null && arrived.length < file.length).toBe(false);
      }
    });

    it.each([
      '',
      'example.com/a.jpg',
      'ftp://example.com/a.jpg',
      'file:///etc/passwd',
      'data:image/png;base64,AAAA',
      'https://user:secret@example.com/a.jpg',
      'https://example.com/a.jpg#part',
      `https://example.com/${'x'.repeat(2000)}`,
    ])('refuses %j', (url) => expect(opened.reader.problem(url)).toMatch(/^sourceUrl must .*\.$/));
  });
}
