import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { mediaMethods, PrimaryMediaReader } from '../../src/adapters/primary-process/primary-media-reader.js';
import { Rpc } from '../../src/adapters/primary-process/rpc.js';
import {
  brokenPictureBytes,
  MemoryMediaReader,
  pictureBytes,
  pictureIn,
} from '../../testing/memory/memory-media-reader.js';
import { ipcPair } from '../support/ipc-pair.js';
import { openMedia } from '../support/media.js';
import { mediaReaderContract, type OpenReader } from './media-reader.contract.js';

const photo = (name: string) => readFile(join(__dirname, '../fixtures/photos', name));
const text = new TextEncoder().encode('not a picture at all, though long enough to be one');

mediaReaderContract('memory', async () => ({
  reader: new MemoryMediaReader(),
  samples: {
    sound: { bytes: pictureBytes({ width: 950, height: 634 }), contentType: 'image/jpeg', width: 950, height: 634 },
    wordy: pictureBytes({ width: 20, height: 20, title: 'é'.repeat(300), description: 'é'.repeat(10_001) }),
    transparent: pictureBytes({ width: 200, height: 150, alpha: true, contentType: 'image/png' }),
    text,
    broken: brokenPictureBytes(),
    unsupported: pictureBytes({ width: 4, height: 4, contentType: 'image/jp2' }),
  },
  sizeOf: async (bytes) => {
    const { width, height } = pictureIn(bytes) ?? { width: 0, height: 0 };
    return { width, height };
  },
  close: async () => undefined,
}));

async function wordy(): Promise<Uint8Array> {
  const alt = (words: string) => `<rdf:Alt><rdf:li xml:lang="x-default">${words}</rdf:li></rdf:Alt>`;
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:title>${alt('é'.repeat(300))}</dc:title><dc:description>${alt('é'.repeat(10_001))}</dc:description>
    </rdf:Description></rdf:RDF></x:xmpmeta>`;
  const plain = sharp({ create: { width: 20, height: 20, channels: 3, background: 'white' } });
  return plain.withXmp(xmp).jpeg().toBuffer();
}

async function realSamples(): Promise<Pick<OpenReader, 'samples' | 'sizeOf'>> {
  return {
    samples: {
      sound: { bytes: await photo('rating-xmp.jpg'), contentType: 'image/jpeg', width: 950, height: 634 },
      wordy: await wordy(),
      transparent: await photo('png-alpha.png'),
      text,
      broken: await photo('zero-width.gif'),
      // The signature of JPEG 2000 (ISO/IEC 15444-1, I.5.1).
      unsupported: Buffer.from('0000000c6a5020200d0a870a', 'hex'),
    },
    sizeOf: async (bytes) => {
      const { width, height } = await sharp(bytes).metadata();
      return { width, height };
    },
  };
}

mediaReaderContract('child processes', async () => {
  const { reader, close } = await openMedia();
  return { reader, ...(await realSamples()), close };
});

mediaReaderContract('child processes of the primary process', async () => {
  const media = await openMedia();
  const pair = ipcPair();
  const primary = new Rpc(pair.primary);
  primary.serve(mediaMethods(media.reader, primary));
  const reader = new PrimaryMediaReader(new Rpc(pair.process), media.scratchDir);
  const close = async () => {
    await reader.close();
    await pair.close();
    await media.close();
  };
  return { reader, ...(await realSamples()), close };
});
