import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type {
  InspectBounds,
  Inspection,
  MediaReader,
  PictureBytes,
  RenderedPicture,
  RenditionOrder,
  Sniffed,
} from '../../core/media/media-reader.js';
import { formats, sniff } from '../media/formats/accepted.js';
import { openScratch, type Scratch } from '../media/processes/scratch.js';
import { Lazy } from '../shared-work.js';
import type { Methods, Rpc } from './rpc.js';

/** A picture of a request process, by the number that it gave it. */
type PictureCall<Order> = { readonly picture: number; readonly order: Order };

interface WaitingPicture {
  readonly bytes: PictureBytes;
  /** The error that the source of the bytes threw, which callers get unchanged. */
  failure?: { readonly error: unknown };
}

/**
 * Pictures read by the primary process, so that all request processes share its decoders, and customers their turns. The primary asks for the
 * bytes of a picture when its turn has come. They are in a file: their own, or a copy in a folder of this process.
 */
export class PrimaryMediaReader implements MediaReader {
  readonly formats = formats;
  private readonly waiting = new Map<number, WaitingPicture>();
  private pictures = 0;
  private readonly scratch: Lazy<Scratch>;

  constructor(
    private readonly primary: Rpc,
    scratchDir: string,
  ) {
    this.scratch = new Lazy(() => openScratch(scratchDir));
    primary.serve({
      pictureFile: (picture: number) =>
        this.noting(picture, async ({ bytes }) => (await bytes.file?.()) ?? this.copy(picture, bytes)),
      copyPicture: (picture: number) => this.noting(picture, ({ bytes }) => this.copy(picture, bytes)),
    });
  }

  sniff(head: Uint8Array): Promise<Sniffed> {
    return sniff(head);
  }

  inspect(bytes: PictureBytes, bounds: InspectBounds): Promise<Inspection> {
    return this.read('inspectPicture', bytes, bounds);
  }

  render(bytes: PictureBytes, order: RenditionOrder): Promise<RenderedPicture | null> {
    return this.read('renderPicture', bytes, order);
  }

  /** Removes all files. */
  async close(): Promise<void> {
    await (await this.scratch.opened?.catch(() => null))?.removeAll();
  }

  private async read<Result>(method: string, bytes: PictureBytes, order: object): Promise<Result> {
    this.pictures += 1;
    const picture = this.pictures;
    const waiting: WaitingPicture = { bytes };
    this.waiting.set(picture, waiting);
    try {
      return await this.primary.call<Result>(method, { picture, order });
    } catch (error) {
      throw waiting.failure === undefined ? error : waiting.failure.error;
    } finally {
      this.waiting.delete(picture);
      // Its copy, if there is one. One that stays is removed with the folder.
      await this.scratch.opened?.then((scratch) => scratch.unspool(nameOf(picture))).catch(() => undefined);
    }
  }

  private async noting<Result>(picture: number, work: (waiting: WaitingPicture) => Promise<Result>): Promise<Result> {
    const waiting = this.waiting.get(picture);
    if (waiting === undefined) throw new Error('No request waits for this picture.');
    try {
      return await work(waiting);
    } catch (error) {
      waiting.failure = { error };
      throw error;
    }
  }

  private async copy(picture: number, bytes: PictureBytes): Promise<string> {
    const scratch = await this.scratch.get();
    await scratch.unspool(nameOf(picture));
    await scratch.spool(nameOf(picture), { [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator]() });
    return join(scratch.path, nameOf(picture));
  }
}

const nameOf = (picture: number) => `picture-${picture}`;

/** Returns what the primary process runs for the `PrimaryMediaReader` of one request process. */
export function mediaMethods(reader: MediaReader, process: Rpc): Methods {
  return {
    inspectPicture: ({ picture, order }: PictureCall<InspectBounds>) =>
      reader.inspect(bytesOf(process, picture), order),
    renderPicture: ({ picture, order }: PictureCall<RenditionOrder>) => reader.render(bytesOf(process, picture), order),
  };
}

/** Asked for when its turn has come: those of pictures that wait are not copied yet. */
function bytesOf(process: Rpc, picture: number): PictureBytes {
  return {
    file: () => process.call<string>('pictureFile', picture),
    // Its file was removed, or replaced, in the meantime.
    async *[Symbol.asyncIterator]() {
      yield* createReadStream(await process.call<string>('copyPicture', picture));
    },
  };
}
