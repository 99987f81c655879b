import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { otherPictures, pictureTypes } from '../../sdk/src/import/picture-formats.js';
import { kindOfFile } from '../../sdk/src/import/picture-types.js';
import { acceptedFormats, fileExtensions, otherFormats } from '../../src/core/media/formats.js';
import { ACCEPTED_FILES } from '../../uploader/src/accepted-files.js';

test('the client recognizes the files of all formats by the same extensions and signatures', () => {
  expect(pictureTypes).toEqual(
    acceptedFormats.map(({ contentType, extensions, signatures }) => ({ contentType, extensions, signatures })),
  );
});

test('the client knows the same formats that are not accepted', () => {
  expect(otherPictures).toEqual(Object.fromEntries(otherFormats.map(({ name, extensions }) => [name, extensions])));
});

test('the client takes a file for a photo by its ending, or by its first bytes', async () => {
  const codestream = Uint8Array.of(0xff, 0x0a, 0xfa);
  expect(await kindOfFile('IMG_0001.JXL', async () => new Uint8Array())).toEqual({ kind: 'photo' });
  expect(await kindOfFile('recovered', async () => codestream)).toEqual({ kind: 'photo' });
  expect(await kindOfFile('recovered', async () => new Uint8Array(32))).toEqual({ kind: 'other' });
  // Raw files of other makers begin like a TIFF.
  const tiff = new TextEncoder().encode('II*\0');
  expect(await kindOfFile('IMG_0001.iiq', async () => tiff)).toEqual({ kind: 'unsupported', format: 'IIQ' });
});

test('the upload element offers the files of all formats', () => {
  expect(ACCEPTED_FILES).toBe(['image/*', ...fileExtensions].join(','));
});

test('no file extension belongs to two formats', () => {
  const all = [...acceptedFormats, ...otherFormats].flatMap(({ extensions }) => extensions);
  expect(new Set(all).size).toBe(all.length);
});

test('the guide on importing lists all formats', () => {
  const guide = readFileSync(join(__dirname, '../../docs/guides/importing.md'), 'utf8');
  for (const { name, contentType } of acceptedFormats) {
    expect(guide).toContain(`\`${contentType}\``);
    expect(guide).toMatch(new RegExp(`^\\| .*\\b${name}\\b.*\\|.*\`${contentType}\``, 'm'));
  }
});

test('the client, the pages and the upload element leave out the same system folders', () => {
  const [client, ...others] = [
    'sdk/src/node/left-out.ts',
    'src/pages/assets/import/import-files.ts',
    'uploader/src/photo-upload.ts',
  ].map((path) => /\/\^\(@eaDir.*\/i;/.exec(readFileSync(join(__dirname, '../..', path), 'utf8'))?.[0]);
  expect(client).toContain('lost');
  expect(others).toEqual([client, client]);
});
