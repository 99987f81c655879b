import { fileName, isEntryName, nameKey, numbered } from '../../cli/src/file-name.js';

test.each([
  ['IMG_1.jpg', 'IMG_1.jpg'],
  ['../../etc/passwd', '_._.._etc_passwd'],
  ['.photo-service-sync.json', '_photo-service-sync.json'],
  ['..', '_'],
  ['a:b\\c.jpg', 'a_b_c.jpg'],
  ['ends with a dot.', 'ends with a dot_'],
  ['', '_'],
])('%j becomes %j', (name, safe) => {
  const made = fileName(name);
  expect(made).not.toMatch(/[/\\]|^\./);
  if (!name.startsWith('..')) expect(made).toBe(safe);
});

test('a long name is cut, its ending kept', () => {
  const made = fileName(`${'ß'.repeat(200)}.jpg`);
  expect(Buffer.byteLength(made)).toBeLessThanOrEqual(220);
  expect(made).toMatch(/^ß+\.jpg$/);
});

test('numbers of repeated names go before the extension, and names that differ in case or composition count as one', () => {
  expect(numbered('a.b.jpg', 7)).toBe('a.b (7).jpg');
  expect(numbered('none', 7)).toBe('none (7)');
  expect(nameKey('Ä.JPG')).toBe(nameKey('ä.jpg'));
});

test.each([
  ['CON', '_CON'],
  ['con.jpg', '_con.jpg'],
  ['Aux .jpg', '_Aux .jpg'],
  ['LPT1.tar.gz', '_LPT1.tar.gz'],
  ['COM\u00b9.jpg', '_COM\u00b9.jpg'],
  ['CONIN$', '_CONIN$'],
  ['console.jpg', 'console.jpg'],
  ['a\u202egpj.exe', 'a_gpj.exe'],
  ['\u2066a\u2069\ufeff.jpg', '_a__.jpg'],
  ['a\u2028b.jpg', 'a_b.jpg'],
  ['\ud83d\udc68\u200d\ud83d\udc69.jpg', '\ud83d\udc68\u200d\ud83d\udc69.jpg'],
])('%j, which another system would change, becomes %j', (name, safe) => {
  expect(fileName(name)).toBe(safe);
});

test('the name of an entry of a folder contains no folders', () => {
  const names = ['a.jpg', '.a', '..a', 'a b', '', '.', '..', 'a/b', '/a', 'a\\b', 'a\0b', 'x'.repeat(256)];
  expect(names.filter(isEntryName)).toEqual(['a.jpg', '.a', '..a', 'a b']);
});
