import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DetailsBuilder } from '../../cli/src/details-builder.js';
import { type DescribedPhoto, readSidecar, sidecarForExtension, sidecarText } from '../../cli/src/xmp/sidecar.js';
import { XmlProblem } from '../../cli/src/xmp/xml.js';
import { Xmp } from '../../cli/src/xmp/xmp.js';
import { largestPreview, readRaw } from '../../src/adapters/media/decoders/raw.js';
import { Refusal, sniff } from '../../src/adapters/media/formats/accepted.js';
import { companionOf, jpegAroundIptc } from '../../src/adapters/media/formats/embedded-metadata.js';
import { inMemory } from '../../src/adapters/media/formats/file-bytes.js';
import { OTHER_RAW } from '../../src/adapters/media/formats/raw-file.js';
import type { PictureMetadata } from '../../src/adapters/media/metadata.js';
import { readMetadata } from '../../src/adapters/media/metadata-thread.js';
import { openMultipart } from '../../src/api/imports/multipart.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { ClientGone } from '../../src/http/server/request.js';
import { film, motionHeic, motionPhoto, samsungPhoto } from '../support/motion-photos.js';
import { preview, rawFile, rawKinds } from '../support/raw-files.js';
import type { FuzzTarget } from './fuzz.js';

const photos = join(__dirname, '../fixtures/photos');
/** Of each, as much as metadata usually lies in. */
const HEAD = 200_000;

const photoNamed = (name: string) => readFileSync(join(photos, name)).subarray(0, HEAD);
const photosLike = (pattern: RegExp) =>
  readdirSync(photos)
    .filter((name) => pattern.test(name))
    .map(photoNamed);

function requirePlausible({ title, description, location, rating, exif }: PictureMetadata): void {
  for (const [text, max] of [
    [title, 255],
    [description, 10_000],
  ] as const) {
    if (text !== null && ([...text].length > max || text.includes('\0') || !text.isWellFormed()))
      throw new Error(`a text that no row can hold: ${text}`);
  }
  if (rating !== null && !(rating >= 0 && rating <= 5)) throw new Error(`rating ${rating}`);
  if (location !== null && !(Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180))
    throw new Error('a place that is nowhere');
  const json = JSON.stringify(exif);
  if (json.includes('\\u0000') || !json.isWellFormed()) throw new Error('EXIF that no row can hold');
}

/** `path`: where the bytes are stored for readers that open a file. */
const metadata = (path: string): FuzzTarget => ({
  name: 'metadata',
  seeds: photosLike(/^(gps|date|iptc|iphone|nokia|rating|keywords|bad-exif|webp|tiff|progressive|animated|png)/),
  async read(bytes) {
    await writeFile(path, bytes);
    const sniffed = await sniff(bytes);
    const contentType = sniffed.kind === 'accepted' ? sniffed.contentType : 'image/jpeg';
    const source = { contentType, exif: undefined, xmp: undefined };
    requirePlausible(await readMetadata({ input: path, ...source }));
    requirePlausible(await readMetadata({ input: bytes, ...source }));
  },
});

const NOTHING = Buffer.alloc(0);

const exif: FuzzTarget = {
  name: 'exif',
  seeds: [
    Buffer.from('Exif\0\0MM\0*\0\0\0\u0008\0\0', 'latin1'),
    ...photosLike(/^(gps-west|nokia|date-priority)/).map(exifOf),
  ],
  async read(bytes) {
    requirePlausible(await readMetadata({ input: NOTHING, contentType: 'image/webp', exif: bytes, xmp: undefined }));
  },
};

/** What follows the name of the segment. */
function exifOf(jpeg: Buffer): Buffer {
  return jpeg.subarray(jpeg.indexOf('Exif\0\0', 0, 'latin1')).subarray(0, 64 * 1024);
}

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
 xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmp:Rating="4" exif:GPSLatitude="48,51.5N"
 exif:GPSLongitude="2,17.7E" photoshop:DateCreated="2024-12-21T23:39:24+01:00"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Paris &amp; more</rdf:li></rdf:Alt></dc:title>
 <dc:subject><rdf:Bag><rdf:li>night</rdf:li></rdf:Bag></dc:subject><lr:hierarchicalSubject><rdf:Bag><rdf:li>a|b</rdf:li></rdf:Bag></lr:hierarchicalSubject>
 </rdf:Description></rdf:RDF></x:xmpmeta>`;

const xmp: FuzzTarget = {
  name: 'xmp',
  seeds: [XMP, `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>${XMP}<?xpacket end="w"?>`],
  async read(bytes) {
    requirePlausible(await readMetadata({ input: NOTHING, contentType: 'image/webp', exif: undefined, xmp: bytes }));
  },
};

const iptc: FuzzTarget = {
  name: 'iptc',
  seeds: photosLike(/^(iptc|progressive-app13|keywords)/).map(iptcOf),
  async read(bytes) {
    const jpeg = jpegAroundIptc(bytes);
    if (jpeg === null) return;
    requirePlausible(await readMetadata({ input: jpeg, contentType: 'image/jpeg', exif: undefined, xmp: undefined }));
  },
};

function iptcOf(jpeg: Buffer): Buffer {
  return jpeg.subarray(jpeg.indexOf('8BIM', 0, 'latin1')).subarray(0, 64 * 1024);
}

const sidecars: FuzzTarget = {
  name: 'sidecars',
  seeds: [XMP, Buffer.from(`\ufeff${XMP}`, 'utf16le'), '<a:b xmlns:a="u"><![CDATA[x]]><!-- c --></a:b>'],
  read(bytes) {
    sidecarForExtension(bytes);
    const details = new DetailsBuilder();
    readSidecar(bytes, details);
    const said = details.build();
    const photo: DescribedPhoto = {
      ...{ title: null, description: null, rating: null, favorite: false, creator: null, copyright: null },
      ...{ location: null, takenAt: null, takenAtLocal: null, tags: [] },
      metadata: (said.metadata ?? {}) as Record<string, string>,
    };
    // What has no field of its own comes out again as XML that is well-formed.
    Xmp.parse(sidecarText(photo));
  },
  refuses: (error) => error instanceof XmlProblem,
};

async function raw(): Promise<FuzzTarget> {
  const jpeg = await preview(300, 200);
  return {
    name: 'raw',
    seeds: rawKinds.map((kind) => rawFile(kind, { preview: jpeg, orientation: 6 })),
    async read(bytes) {
      const file = inMemory(bytes);
      const found = await readRaw(file);
      if (found === null || found === OTHER_RAW) return;
      const { jpegs, sensorData } = found;
      if (![...jpegs, ...sensorData].every(({ start, length }) => start >= 0 && length >= 0))
        throw new Error('a part before the file');
      const shown = await largestPreview(file, found, bytes.length);
      if (shown !== null && shown.start + shown.length > bytes.length) throw new Error('a preview behind the file');
    },
    refuses: (error) => error instanceof Refusal,
  };
}

async function companions(): Promise<FuzzTarget> {
  const heic = photoNamed('iphone7-gps.heic');
  return {
    name: 'companions',
    seeds: [await motionPhoto(film()), await samsungPhoto(film()), motionHeic(heic.subarray(0, 20_000), film())],
    async read(bytes) {
      const contentType = bytes[0] === 0xff ? 'image/jpeg' : 'image/heic';
      const packet = bytes.subarray(bytes.indexOf('<x:xmpmeta'), bytes.indexOf('</x:xmpmeta>'));
      const found = await companionOf(bytes, { contentType, xmp: packet });
      if (found !== null && found.offset + found.sizeBytes > bytes.length) throw new Error('a film behind the file');
    },
  };
}

const boundary = 'XyZ';
const part = (head: string, content: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

const multipart: FuzzTarget = {
  name: 'multipart',
  seeds: [
    `${part('name="photos"', '[{"clientRef":"a","tags":["b"]}]')}${part('name="file"; filename="a.jpg"', 'bytes')}--${boundary}--\r\n`,
    `${part('name="file"; filename*=UTF-8\'\'%e2%82%ac.jpg', 'x'.repeat(300))}${part('name="file"; filename="b"', '')}--${boundary}--`,
    `preamble\r\n${part('name="file"', 'no name')}${part('name="other"; filename="a"', '')}`,
  ],
  async read(bytes) {
    // In two chunks: what a parser keeps between them is where it goes wrong.
    const half = bytes.length >> 1;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const request = Object.assign(Readable.from([bytes.subarray(0, half), bytes.subarray(half)]), { headers });
    const body = await openMultipart(request as unknown as IncomingMessage, 1_000_000);
    let size = 0;
    for await (const file of body.files) for await (const chunk of file.bytes) size += chunk.length;
    await body.leave();
    if (size > bytes.length) throw new Error('more bytes than were sent');
  },
  refuses: (error) => error instanceof DomainError || error instanceof ClientGone,
};

export const fileTargets = async (path: string): Promise<readonly FuzzTarget[]> => [
  metadata(path),
  exif,
  xmp,
  iptc,
  sidecars,
  await raw(),
  await companions(),
  multipart,
];
