import { bounded, fittedSize, maxScale, whole, zoomAt } from '../../src/pages/assets/library/zoom.js';

const area = { width: 1000, height: 500 };
const picture = { width: 4000, height: 3000 };
const fitted = fittedSize(picture, area);

test('a picture fits into the window, and a small one keeps its own pixels', () => {
  expect(fitted.height).toBeCloseTo(500);
  expect(fitted.width).toBeCloseTo(2000 / 3);
  expect(fittedSize({ width: 300, height: 200 }, area)).toEqual({ width: 300, height: 200 });
});

test('a picture is enlarged up to its own pixels, a small one to double size, and never below the whole', () => {
  expect(maxScale(picture, fitted)).toBeCloseTo(6);
  expect(maxScale({ width: 300, height: 200 }, { width: 300, height: 200 })).toBe(2);
  expect(zoomAt(whole, 100, { x: 0, y: 0 }, 6)).toEqual({ scale: 6, x: 0, y: 0 });
  expect(zoomAt({ scale: 3, x: 40, y: 0 }, 0.1, { x: 0, y: 0 }, 6).scale).toBe(1);
});

test('the point around which a picture is enlarged stays in place', () => {
  const point = { x: 120, y: -80 };
  const before = { scale: 1.5, x: 30, y: 10 };
  const after = zoomAt(before, 2, point, 6);
  expect(after.scale).toBe(3);
  for (const axis of ['x', 'y'] as const) {
    expect((point[axis] - after[axis]) / after.scale).toBeCloseTo((point[axis] - before[axis]) / before.scale);
  }
});

test('a picture moves as far as its edges, and stays in the middle if it is smaller than the window', () => {
  expect(bounded({ scale: 2, x: 900, y: -900 }, fitted, area)).toEqual({
    scale: 2,
    x: expect.closeTo(500 / 3),
    y: -250,
  });
  expect(bounded({ scale: 1, x: 50, y: 50 }, fitted, area)).toEqual(whole);
});
