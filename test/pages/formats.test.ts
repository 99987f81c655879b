import { formatsOf } from '../../src/pages/formats.js';

const formatsFor = (language?: string) =>
  formatsOf({ headers: language === undefined ? {} : { 'accept-language': language } });

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', '12.345 photos'],
  ['en-US', '12,345 photos'],
  // Not a language, none that has formats, none at all: as the pages are written.
  ['-, x', '12,345 photos'],
  ['*', '12,345 photos'],
  ['tlh', '12,345 photos'],
  [undefined, '12,345 photos'],
])('for %p a number is %p', (language, text) => {
  expect(formatsFor(language).pluralize(12345, 'photo')).toBe(text);
});

test('sizes, months, days and local times are written in the locale', () => {
  const all = (language?: string) => {
    const formats = formatsFor(language);
    const times = [formats.month('2024-03'), formats.day('2024-03-05'), formats.time('2024-03-05T07:08:09')];
    return [formats.bytes(1_450_000), formats.bytes(123_456_789), ...times].join(' | ');
  };
  expect(all()).toBe('1.4 MB | 123 MB | March 2024 | 5 Mar | 5 March 2024 at 07:08:09');
  expect(all('de')).toBe('1,4 MB | 123 MB | März 2024 | 5. März | 5. März 2024 um 07:08:09');
});
