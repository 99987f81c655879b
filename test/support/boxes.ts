/** A box of an ISO base media file. */
export const box = (type: string, ...content: Buffer[]): Buffer => {
  const bytes = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(bytes.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, bytes]);
};

/** Whole numbers of four bytes, big-endian. */
export const longs = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => void bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** A HEIC of one item of two-byte numbers, as heif-enc writes it, with one more property of that item. */
export function withProperty(heic: Buffer, property: Buffer): Buffer {
  const at = (type: string) => heic.indexOf(Buffer.from(type, 'latin1')) - 4;
  const bytes = Buffer.from(heic);
  const [ipco, ipma] = [at('ipco'), at('ipma')];
  const properties = bytes.subarray(ipco + 8, ipco + bytes.readUInt32BE(ipco));
  let count = 0;
  for (let place = 0; place < properties.length; place += properties.readUInt32BE(place)) count += 1;
  // One entry: its item, how many properties, and the number of each.
  const associations = bytes.readUInt32BE(ipma);
  const added = property.length + 1;
  for (const type of ['meta', 'iprp']) bytes.writeUInt32BE(bytes.readUInt32BE(at(type)) + added, at(type));
  bytes.writeUInt32BE(bytes.readUInt32BE(ipco) + property.length, ipco);
  bytes.writeUInt32BE(associations + 1, ipma);
  bytes[ipma + 18] = (bytes[ipma + 18] ?? 0) + 1;
  // One item in `iloc` of version 0: its base, of four bytes, from which all else counts.
  const place = at('iloc') + 20;
  bytes.writeUInt32BE(bytes.readUInt32BE(place) + added, place);
  return Buffer.concat([
    bytes.subarray(0, ipco + 8),
    properties,
    property,
    bytes.subarray(ipma, ipma + associations),
    Buffer.from([count + 1]),
    bytes.subarray(ipma + associations),
  ]);
}

export const nclx = (primaries: number, transfer: number, matrix = 6): Buffer =>
  box('colr', Buffer.from('nclx', 'latin1'), Buffer.from([0, primaries, 0, transfer, 0, matrix, 0x80]));
