import type { MediaReader } from '../../src/core/media/media-reader.js';
import { MemoryMediaReader, pictureIn } from '../../testing/memory/memory-media-reader.js';
import { collected } from './core-world.js';

/** Notes how large each picture is that a rendition is made from. */
export class WatchedReader extends MemoryMediaReader {
  readonly sources: number[] = [];

  override async render(bytes: AsyncIterable<Uint8Array>, order: Parameters<MediaReader['render']>[1]) {
    const whole = await collected(bytes);
    this.sources.push(pictureIn(whole)?.width ?? 0);
    return super.render(
      (async function* () {
        yield whole;
      })(),
      order,
    );
  }
}
