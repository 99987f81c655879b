import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pictureTypes } from '../../sdk/src/import/picture-types.js';
import { acceptedFormats } from '../../src/core/media/formats.js';

test('the client finds the files of all formats by the extensions of their names', () => {
  const types = acceptedFormats.flatMap(({ contentType, extensions }) => extensions.map((each) => [each, contentType]));
  expect(pictureTypes).toEqual(Object.fromEntries(types));
});

test('the guide on importing has all formats', () => {
  const guide = readFileSync(join(__dirname, '../../docs/guides/importing.md'), 'utf8');
  for (const { name, contentType } of acceptedFormats) {
    expect(guide).toContain(`\`${contentType}\``);
    expect(guide).toMatch(new RegExp(`^\\| .*\\b${name}\\b.*\\|.*\`${contentType}\``, 'm'));
  }
});
