import { fileName, nameKey, numbered } from '../../cli/src/file-name.js';

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

test('numbers go before the ending; names that differ in case or composition are one', () => {
  expect(numbered('a.b.jpg', 7)).toBe('a.b (7).jpg');
  expect(numbered('none', 7)).toBe('none (7)');
  expect(nameKey('Ä.JPG')).toBe(nameKey('ä.jpg'));
});
