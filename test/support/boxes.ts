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

/** The first box of a type, with its head; found by its name. */
function boxIn(file: Buffer, type: string): Buffer {
  const at = file.indexOf(Buffer.from(type, 'latin1')) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

const short = (value: number) => Buffer.from([value >> 8, value & 255]);
const fullBox = (type: string, ...content: Buffer[]) => box(type, Buffer.alloc(4), ...content);

/**
 * A HEIC that consists of many tiles (ISO/IEC 23008-12, 6.6.2.3), each the picture of another HEIC, of so many pixels in height and width.
 * `broken` tiles are there, but are no picture.
 */
export function gridHeic(tile: Buffer, side: number, { columns = 2, rows = 2, broken = 0 } = {}): Buffer {
  const tiles = Array.from({ length: columns * rows }, (_, index) => index + 2);
  const data = boxIn(tile, 'mdat').subarray(8);
  const grid = Buffer.concat([Buffer.from([0, 0, rows - 1, columns - 1]), short(columns * side), short(rows * side)]);
  const entry = (id: number, type: string) =>
    box('infe', Buffer.from([2, 0, 0, 0]), short(id), short(0), Buffer.from(`${type}\0`));
  const extent = (id: number, start: number, length: number) =>
    Buffer.concat([short(id), short(0), short(1), longs(start, length)]);
  const size = (width: number, height: number) => fullBox('ispe', longs(width, height));
  const meta = (start: number) =>
    fullBox(
      'meta',
      fullBox('hdlr', longs(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', short(1)),
      fullBox(
        'iloc',
        Buffer.from([0x44, 0]),
        short(tiles.length + 1),
        extent(1, start, grid.length),
        ...tiles.map((id, index) => extent(id, start + grid.length + (index < broken ? data.length : 0), data.length)),
      ),
      fullBox('iinf', short(tiles.length + 1), entry(1, 'grid'), ...tiles.map((id) => entry(id, 'hvc1'))),
      box(
        'iprp',
        box('ipco', boxIn(tile, 'hvcC'), size(side, side), size(columns * side, rows * side)),
        fullBox(
          'ipma',
          longs(tiles.length + 1),
          short(1),
          Buffer.from([1, 3]),
          ...tiles.flatMap((id) => [short(id), Buffer.from([2, 0x81, 2])]),
        ),
      ),
      fullBox('iref', box('dimg', short(1), short(tiles.length), ...tiles.map(short))),
    );
  const head = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic'));
  const start = head.length + meta(0).length + 8;
  return Buffer.concat([head, meta(start), box('mdat', grid, data, Buffer.alloc(data.length, 0x55))]);
}
