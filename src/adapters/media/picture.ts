import { formatOf, type PictureFormat } from '../../core/media/formats.js';
import { readRaw } from './decoders/raw.js';
import { type ByteSource, bytesAt, withSource } from './formats/file-bytes.js';
import { OTHER_RAW } from './formats/raw-file.js';
import { HEAD_BYTES, mayBeRaw, sniff } from './formats/sniff.js';
import { fileEmpty, notAnImage, unsupportedFormat } from './refusals.js';
import { allLoaders, allowLoaders, type OpenPicture, type Picture, type PictureOrder } from './scaled-picture.js';

/**
 * Opens a picture for `work`, whose temporary files are under `folder`. By its bytes only: the accepted types, and nothing over `maxPixels`
 * by its header, before anything is decoded. Throws refusals.
 * @param parent Watched by another thread while this one computes: libvips, which does not need this one, decodes beside it.
 */
export async function withPicture<T>(
  order: PictureOrder,
  parent: { watchParent(): Promise<void> },
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  return withSource(order.input, async (file) => {
    const { contentType, decoder, maxPixels = order.maxPixels } = await formatIn(file);
    if (decoder !== 'libvips') await parent.watchParent();
    allowLoaders(allLoaders);
    const decoding = await loaded(decoder);
    return decoding({ ...order, maxPixels: Math.min(maxPixels, order.maxPixels), contentType, file }, work);
  });
}

/** Loads a decoder with the first of its pictures, by its name: no list of them is to be kept. */
async function loaded(decoder: PictureFormat['decoder']): Promise<OpenPicture> {
  const module = (await import(`./decoders/${decoder}.js`)) as { readonly open: OpenPicture };
  return module.open;
}

async function formatIn(file: ByteSource): Promise<PictureFormat> {
  const head = await bytesAt(file, 0, HEAD_BYTES);
  if (head.length === 0) throw fileEmpty();
  const raw = mayBeRaw(head) ? await readRaw(file) : null;
  if (raw === OTHER_RAW) throw unsupportedFormat('camera raw');
  const format = formatOf(raw?.contentType ?? (await acceptedType(head)));
  if (format === undefined) throw notAnImage();
  return format;
}

async function acceptedType(head: Uint8Array): Promise<string> {
  const sniffed = await sniff(head);
  if (sniffed.kind === 'not_an_image') throw notAnImage();
  if (sniffed.kind === 'unsupported') throw unsupportedFormat(sniffed.contentType);
  return sniffed.contentType;
}
