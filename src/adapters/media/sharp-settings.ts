import sharp from 'sharp';

/** One file at a time and nothing kept, so that memory is bounded by one picture; and no loader but those of the accepted types. */
export function restrictSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: [
      'VipsForeignLoadJpegFile',
      'VipsForeignLoadPngFile',
      'VipsForeignLoadWebpFile',
      'VipsForeignLoadNsgifFile',
      'VipsForeignLoadTiffFile',
      'VipsForeignLoadHeifFile',
    ],
  });
}
