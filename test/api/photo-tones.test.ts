import { heightsOf, STEPS, tonesOf } from '../../src/pages/assets/library/histogram.js';

const pixels = (...colors: readonly (readonly number[])[]) => tonesOf(colors.flat());
const [black, grey, white, red] = [
  [0, 0, 0, 255],
  [128, 128, 128, 255],
  [255, 255, 255, 255],
  [255, 0, 0, 255],
] as const;

test('pixels are counted by how light they are, as the eye weighs their colours', () => {
  expect(pixels(black, red, grey, white)).toMatchObject({ shadows: 0.5, midtones: 0.25, highlights: 0.25 });
});

test('each colour has its own curve, in which black and white do not hide the rest', () => {
  const tones = pixels(black, black, black, grey, grey, red);
  const [reds = [], greens = []] = tones === null ? [] : heightsOf(tones);
  expect(tones?.channels.map((counts) => [counts[0], counts[STEPS / 2], counts[STEPS - 1]])).toEqual([
    [3, 2, 1],
    [4, 2, 0],
    [4, 2, 0],
  ]);
  expect([reds[0], reds[STEPS / 2], reds[STEPS - 1], greens[STEPS - 1]]).toEqual([1, 1, 0.5, 0]);
});

test('a picture of black alone has a curve, and one that is transparent has none', () => {
  const tones = pixels(black, black);
  expect(tones && heightsOf(tones).map((heights) => heights[0])).toEqual([1, 1, 1]);
  expect(pixels([1, 2, 3, 0])).toBeNull();
});
