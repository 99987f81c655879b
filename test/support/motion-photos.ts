import sharp from 'sharp';
import { box } from './boxes.js';

/** Photos with a film in the same file, in the shapes that phones give them. */

/** A film by its boxes; nothing plays it. */
export function film(brand = 'isom'): Buffer {
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\x02\0${brand}`, 'latin1')),
    box('moov', box('mvhd', Buffer.alloc(100))),
    box('mdat', Buffer.alloc(3000, 0x66)),
  ]);
}

const packet = (attributes: string, inside = '') =>
  `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/" ${attributes}>${inside}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const still = () => sharp({ create: { width: 700, height: 500, channels: 3, background: 'teal' } });

/** Motion Photo 1.0. @param length What it says of the film. */
export async function motionPhoto(behind: Buffer, length = behind.length): Promise<Buffer> {
  const items = `<Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic="Primary" Item:Length="0" Item:Padding="0"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4" Item:Semantic="MotionPhoto" Item:Length="${length}" Item:Padding="0"/></rdf:li></rdf:Seq></Container:Directory>`;
  const xmp = packet('GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1"', items);
  return Buffer.concat([await still().jpeg().withXmp(xmp).toBuffer(), behind]);
}

/** Its predecessor. */
export async function microVideo(behind: Buffer): Promise<Buffer> {
  const xmp = packet(
    `GCamera:MicroVideo="1" GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="${behind.length}"`,
  );
  return Buffer.concat([await still().jpeg().withXmp(xmp).toBuffer(), behind]);
}

/** Samsung's, before it wrote XMP. */
export async function samsungPhoto(behind: Buffer): Promise<Buffer> {
  const name = Buffer.from('MotionPhoto_Data');
  const part = Buffer.concat([Buffer.from([0, 0, 0x30, 0x0a]), little(name.length), name, behind]);
  const entry = Buffer.concat([Buffer.from([0, 0, 0x30, 0x0a]), little(part.length), little(part.length)]);
  const directory = Buffer.concat([Buffer.from('SEFH'), little(106), little(1), entry]);
  return Buffer.concat([
    await still().jpeg().toBuffer(),
    part,
    directory,
    little(directory.length),
    Buffer.from('SEFT'),
  ]);
}

/** Motion Photo 1.0 for HEIF, made of a HEIC without a film. */
export function motionHeic(heic: Buffer, behind: Buffer): Buffer {
  return Buffer.concat([heic, box('mpvd', behind)]);
}

function little(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
