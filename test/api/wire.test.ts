import { instant } from '../../src/http/responses/reply.js';

describe('instants on the wire', () => {
  const times = [
    ['the first of all years with four digits', '1000-01-01T00:00:00.000Z'],
    ['the last', '9999-12-31T23:59:59.999Z'],
    ['one digit in every place', '2026-03-04T05:06:07.008Z'],
    ['two', '2026-10-11T12:13:14.015Z'],
    ['before 1970', '1969-12-31T23:59:59.999Z'],
    ['a leap day', '2024-02-29T00:00:00.100Z'],
    ['a year of three digits', '0999-12-31T00:00:00.000Z'],
    ['a year before Christ', '-000044-03-15T12:00:00.000Z'],
    ['a year of five digits', '+010000-01-01T00:00:00.000Z'],
  ];

  it.each(times)('%s: %s', (_, text) => {
    expect(instant(new Date(text))).toBe(text);
  });

  it('are null when they are invalid dates', () => {
    expect(() => instant(new Date(Number.NaN))).toThrow(RangeError);
  });
});
