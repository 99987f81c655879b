import sharp from 'sharp';

/** One file at a time and no cache, so that memory is limited by one picture; and only the loaders of the accepted types. */
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
