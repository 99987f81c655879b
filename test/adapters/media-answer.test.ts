import {
  encodeFrame,
  FrameError,
  FrameReader,
  inspectionAnswer,
  renditionAnswer,
} from '../../src/adapters/media/media-channel.js';
import { pictureAnswer } from '../support/hostile-child.js';

/** docs/threat-model.md, A38: what a decoder says is checked field by field. */

const read = (answer: unknown) => inspectionAnswer(JSON.parse(JSON.stringify(answer)), 'answer');
const withFacts = (facts: object) => ({ ...pictureAnswer, facts: { ...pictureAnswer.facts, ...facts } });

test('an answer within its limits is returned as it came', () => {
  expect(read(pictureAnswer)).toEqual(pictureAnswer);
});

/** Replaces, at each place of the answer in turn, what stands there. */
function* bent(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    for (const each of bent(inner, by)) yield { ...value, [name]: each };
}

const TOO_LONG = 'x'.repeat(11_000);

test.each([
  ['a list', [1]],
  ['an object of another form', { '<': {} }],
  ['a number out of range', 1e300],
  ['a text that is too long', TOO_LONG],
  ['a text that Postgres cannot store', '\0'],
  ['half a character', '\ud800'],
])('an answer with %s in place of any of its fields is refused', (_, by) => {
  const answers = [...bent(pictureAnswer, by)];
  expect(answers.length).toBeGreaterThan(40);
  const isTag = (answer: unknown) =>
    (answer as typeof pictureAnswer).facts?.exif?.ISOSpeedRatings === 1e300 ||
    (answer as typeof pictureAnswer).facts?.exif?.Make === (1e300 as unknown);
  // A tag may be any number.
  for (const answer of answers.filter((each) => !isTag(each))) expect(() => read(answer)).toThrow(FrameError);
});

test.each([
  [
    '20,000 tags of a kilobyte',
    { exif: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`Tag${at}`, 'x'.repeat(1000)])) },
  ],
  ['times that are null', { times: null }],
  ['a height that no column stores', { height: 1e300 }],
  ['a height that is no whole number', { height: 1.5 }],
  ['a type that is not accepted', { contentType: 'text/html' }],
  ['a field that nobody knows', { owner: 1 }],
  ['a name of a tag that is no name', { exif: { '<script>': 1 } }],
  ['a colour that is none', { dominantColor: '#33669g' }],
])('facts with %s are refused', (_, facts) => {
  expect(() => read(withFacts(facts))).toThrow(FrameError);
});

test('facts without any one of their fields are refused', () => {
  for (const name of Object.keys(pictureAnswer.facts)) {
    expect(() => read(withFacts({ [name]: undefined }))).toThrow(FrameError);
  }
});

test('a rendition of a type that no rendition has is refused', () => {
  expect(renditionAnswer({ kind: 'rendered', contentType: 'image/webp' }, 'answer')).toMatchObject({
    kind: 'rendered',
  });
  expect(() => renditionAnswer({ kind: 'rendered', contentType: 'text/html' }, 'answer')).toThrow(FrameError);
});

describe('a frame', () => {
  const bounds = { maxJsonBytes: 1000, maxBytes: 1000 };
  const frame = encodeFrame({ text: 'Grüße' }, Buffer.from([1, 2, 3]));

  test('is read however it is cut', () => {
    for (let cut = 0; cut <= frame.length; cut += 1) {
      const reader = new FrameReader(bounds);
      const first = reader.push(frame.subarray(0, cut));
      const whole = first ?? reader.push(frame.subarray(cut));
      expect(whole).toEqual({ json: { text: 'Grüße' }, bytes: Buffer.from([1, 2, 3]) });
      expect(first === null).toBe(cut < frame.length);
    }
  });

  test('is never read as anything but a frame or an error, whatever bytes come', () => {
    let seed = 1;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    for (let turn = 0; turn < 5000; turn += 1) {
      const bytes = Buffer.from(frame);
      for (let flips = next() % 4; flips >= 0; flips -= 1) bytes[next() % bytes.length] = next() % 256;
      const reader = new FrameReader(bounds);
      try {
        const read = reader.push(bytes);
        expect(read === null || Buffer.isBuffer(read.bytes)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
    }
  });

  test('of a length over its bounds is refused before anything is held for it', () => {
    for (const header of ['000003e900000000', '00000000000003e9', 'ffffffffffffffff']) {
      expect(() => new FrameReader(bounds).push(Buffer.from(header, 'hex'))).toThrow(FrameError);
    }
  });
});
