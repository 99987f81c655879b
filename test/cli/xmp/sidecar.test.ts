import fc from 'fast-check';
import { DetailsBuilder } from '../../../cli/src/details-builder.js';
import { type DescribedPhoto, readSidecar, sidecarText } from '../../../cli/src/xmp/sidecar.js';

function read(text: string | Uint8Array) {
  const details = new DetailsBuilder();
  readSidecar(typeof text === 'string' ? Buffer.from(text) : text, details);
  return { ...details.build(), losses: details.losses };
}

const xmp = (attributes: string, content = '') => `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
 <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
  xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:digiKam="http://www.digikam.org/ns/1.0/" ${attributes}>${content}</rdf:Description>
</rdf:RDF></x:xmpmeta>`;
const bag = (...items: string[]) => `<rdf:Bag>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:Bag>`;

/** The photo as which details come back, once they are in the library. */
function photoOf({ losses: _, ...details }: ReturnType<typeof read>): DescribedPhoto {
  const { title = null, description = null, rating = null, location = null, tagNames = [], metadata = {} } = details;
  const local = details.takenAtLocal ?? details.takenAt?.slice(0, -6) ?? null;
  const instant = details.takenAt ?? (local === null ? null : `${local}Z`);
  const { favorite = false, creator = null, copyright = null } = details;
  return {
    ...{ title, description, rating, creator, copyright },
    favorite: favorite === true,
    location: location && { altitude: null, ...location },
    takenAtLocal: local,
    takenAt: instant && new Date(instant).toISOString(),
    tags: tagNames.map((name, at) => ({ id: at + 1, name })),
    metadata: metadata as Record<string, string>,
  };
}

describe('readSidecar()', () => {
  it('reads what Lightroom writes: attributes, hierarchies whose levels are keywords too, develop settings', () => {
    const sidecar = xmp(
      `xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/" xmp:Rating="4" xmp:Label="Red" crs:Exposure2012="+0.35"
       exif:GPSLatitude="48,51.5022N" exif:GPSLongitude="2,17.66886W" exif:GPSAltitude="352/10" exif:GPSAltitudeRef="1"
       photoshop:DateCreated="2024-12-21T23:39:24.67+01:00" exif:DateTimeOriginal="2024-12-21T23:39:24.67"`,
      `<dc:title><rdf:Alt><rdf:li xml:lang="de">Turm</rdf:li><rdf:li xml:lang="x-default">Tower &amp; sky</rdf:li></rdf:Alt></dc:title>
       <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Two
lines</rdf:li></rdf:Alt></dc:description>
       <dc:subject>${bag('Paris', 'France', 'Places', 'Night')}</dc:subject>
       <lr:hierarchicalSubject>${bag('Places|France|Paris', 'Night')}</lr:hierarchicalSubject>`,
    );
    expect(read(sidecar)).toEqual({
      title: 'Tower & sky',
      description: 'Two\nlines',
      rating: 4,
      location: { latitude: 48.85837, longitude: -2.294481, altitude: -35.2 },
      takenAt: '2024-12-21T23:39:24.67+01:00',
      tagNames: ['Places/France/Paris', 'Night'],
      metadata: { 'xmp.1': expect.stringMatching(/^[\w-]+$/) },
      losses: [],
    });
    const written = sidecarText(photoOf(read(sidecar)));
    for (const part of ['<xmp:Label>Red<', '<crs:Exposure2012>+0.35<', 'xml:lang="de">Turm<']) {
      expect(written).toContain(part);
    }
  });

  it('reads what digiKam and darktable write: elements, paths with slashes, a clock without a zone', () => {
    const sidecar = xmp(
      '',
      `<digiKam:TagsList><rdf:Seq><rdf:li>People/Ann</rdf:li><rdf:li>Holiday</rdf:li></rdf:Seq></digiKam:TagsList>
       <dc:subject>${bag('Ann', 'Holiday')}</dc:subject><dc:title>Plain</dc:title>
       <xmp:Rating>2</xmp:Rating><exif:DateTimeOriginal>2019:06:12 10:11:12.345</exif:DateTimeOriginal>`,
    );
    expect(read(sidecar)).toEqual({
      title: 'Plain',
      rating: 2,
      takenAtLocal: '2019-06-12T10:11:12.345',
      tagNames: ['People/Ann', 'Holiday'],
      losses: [],
    });
  });

  it('the internal keywords of darktable are no tags, and are kept as keywords of our sidecar', () => {
    const sidecar = xmp(
      '',
      `<dc:subject>${bag('Swimming', 'changed', 'darktable', 'format', 'orf', 'Sea')}</dc:subject>
       <lr:hierarchicalSubject>${bag('Activity|Sport|Swimming', 'darktable|changed', 'darktable|format|orf')}</lr:hierarchicalSubject>
       <digiKam:TagsList>${bag('darktable/exported', 'darktable')}</digiKam:TagsList>`,
    );
    const details = read(sidecar);
    expect(details.tagNames).toEqual(['Activity/Sport/Swimming', 'darktable', 'Sea']);
    const photo = photoOf(details);
    const written = sidecarText({ ...photo, tags: [...photo.tags, { id: 9, name: 'changed' }] });
    for (const keyword of ['darktable|changed', 'darktable|format|orf', 'darktable/exported', 'orf'])
      expect(written).toContain(`<rdf:li>${keyword}</rdf:li>`);
    const again = read(written);
    expect(again.tagNames).toEqual(['Activity/Sport/Swimming', 'darktable', 'Sea', 'changed']);
    expect(sidecarText(photoOf(again))).toContain('<rdf:li>darktable|format|orf</rdf:li>');
  });

  it('a photo that was rejected has no rating, and is rejected in our sidecar too', () => {
    const rejected = read(xmp('xmp:Rating="-1"'));
    expect(rejected).toEqual({ metadata: { 'xmp.1': expect.any(String) }, losses: [] });
    expect(sidecarText(photoOf(rejected))).toContain('<xmp:Rating>-1</xmp:Rating>');
    expect(sidecarText({ ...photoOf(rejected), rating: 3 })).toContain('<xmp:Rating>3</xmp:Rating>');
  });

  it.each([
    ['a day without a time', 'photoshop:DateCreated="2019-06-12"', { field: 'DateCreated', reason: 'incomplete' }],
    ['a day that does not exist', 'exif:DateTimeOriginal="2019-02-30T10:00:00"', { field: 'DateTimeOriginal' }],
    ['six stars', 'xmp:Rating="6"', { field: 'rating', reason: 'invalid' }],
    ['a place off the globe', 'exif:GPSLatitude="91,0N" exif:GPSLongitude="2,0E"', { field: 'location' }],
  ])('%s is a loss, and invents nothing', (_, attributes, loss) => {
    const { losses, metadata: _rest, ...details } = read(xmp(attributes));
    expect(losses).toMatchObject([loss]);
    expect(details).toEqual({});
  });

  it.each([
    ['no XML', 'JFIF'],
    ['XML of something else', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    [
      'an entity that grows',
      `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xmp('', '<dc:title>&b;</dc:title>')}`,
    ],
    [
      'an entity that reads a file',
      `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xmp('', '<dc:title>&a;</dc:title>')}`,
    ],
    ['an end too early', xmp('xmp:Rating="4"').slice(0, -20)],
    ['too deep an end', `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}`],
  ])('%s is unreadable, and gives no values', (_, text) => {
    expect(read(text)).toEqual({ losses: [expect.objectContaining({ field: 'xmp', reason: 'unreadable' })] });
  });

  it('reads UTF-16 and a byte order mark', () => {
    const text = xmp('xmp:Rating="3"').replace('Places', 'Orte');
    expect(read(Buffer.from(`\ufeff${text}`, 'utf16le'))).toMatchObject({ rating: 3 });
    expect(read(Buffer.from(`\ufeff${text}`))).toMatchObject({ rating: 3 });
  });

  it('properties beyond what metadata can hold are lost, and it says so', () => {
    const noise = Array.from({ length: 4000 }, (_, at) => ((at * 2654435761) % 2 ** 32).toString(36)).join('');
    const { losses, rating, metadata } = read(xmp('xmp:Rating="3"', `<xmp:Nickname>${noise}</xmp:Nickname>`));
    expect({ losses, rating, metadata }).toEqual({
      losses: [expect.objectContaining({ field: 'xmp', reason: 'too_long' })],
      rating: 3,
      metadata: undefined,
    });
  });
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((each) => each.normalize('NFC').trim());
const words = text.filter((each) => each !== '' && !/[\p{Cc}\ufffd\s]/u.test(each) && each.isWellFormed());
const minute = fc.integer({ min: -14 * 4, max: 14 * 4 }).map((quarters) => quarters * 15);
const photo = fc.record({
  title: fc.option(words),
  description: fc.option(words),
  rating: fc.option(fc.integer({ min: 0, max: 5 })),
  favorite: fc.boolean(),
  creator: fc.option(words),
  copyright: fc.option(words),
  location: fc.option(
    fc.record({
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
      longitude: fc.double({ min: 1, max: 180, noNaN: true }),
      altitude: fc.option(fc.integer({ min: -11_000_000, max: 90_000_000 }).map((millimetres) => millimetres / 1000)),
    }),
  ),
  time: fc.option(fc.tuple(fc.integer({ min: -2e12, max: 4e12 }), minute)),
  tags: fc.uniqueArray(
    fc.oneof(words, fc.constantFrom('a', 'b', 'a/b', 'a|b', 'a|b/c', '/a', 'b/', 'AC/DC', 'a/b/c', 'DC')),
    { selector: (name) => name.normalize('NFKC').toLowerCase(), maxLength: 8 },
  ),
});

test('a sidecar that is written is read back with any text, place, time and set of tags', () => {
  fc.assert(
    fc.property(photo, ({ time, tags, ...fields }) => {
      const [at, offset] = time ?? [null, 0];
      const takenAtLocal = at === null ? null : new Date(at + offset * 60_000).toISOString().slice(0, -1);
      const takenAt = at === null ? null : new Date(at).toISOString();
      const named = tags.map((name, index) => ({ id: index + 1, name }));
      const described: DescribedPhoto = { ...fields, takenAt, takenAtLocal, tags: named, metadata: {} };
      const back = photoOf(read(sidecarText(described)));
      const near = (a = 0, b = 0) => Math.abs(a - b) < 1e-8;
      expect({ ...back, location: null, tags: [] }).toEqual({ ...described, location: null, tags: [] });
      expect(back.tags.map(({ name }) => name).sort()).toEqual([...tags].sort());
      expect(near(back.location?.latitude, described.location?.latitude)).toBe(true);
      expect(near(back.location?.longitude, described.location?.longitude)).toBe(true);
      expect(back.location?.altitude).toBe(described.location?.altitude);
    }),
    { numRuns: 300 },
  );
});
