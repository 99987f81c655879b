import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { acceptedFormats, type PictureFormat } from '../../src/core/media/formats.js';
import { pictureFormats } from '../../src/core/media/transformation.js';
import { sources } from './sources.js';

const DECLARATIONS = 'src/core/media/formats.ts';
const FOLDER = 'src/adapters/media/decoders';
/** What the packages say of formats is written from their declarations; test/core/formats.test.ts compares the two. */
const written = (text: string) => text.startsWith('// Written by bin/generate/picture-formats.js');

const all = ['src', 'cli/src', 'sdk/src', 'uploader/src'].flatMap((folder) => sources(folder));
const decoders = [...new Set(acceptedFormats.map(({ decoder }) => decoder))];
const moduleOf = (decoder: string) => `${FOLDER}/${decoder}.ts`;

/** A decoder's module, and what it reads files with: the structures of formats, and other decoders. */
function filesOf(decoder: string): readonly string[] {
  const { imports = [] } = all.find(({ path }) => path === moduleOf(decoder)) ?? {};
  const own = imports.filter((path) => path.startsWith(`${FOLDER}/`) || path.startsWith('src/adapters/media/formats/'));
  return [moduleOf(decoder), ...own];
}

/** The files that know a format, by its type, its package or an ending of its files. */
function knowing({ contentType, extensions, package: name }: PictureFormat): readonly string[] {
  const names = [contentType, ...(name === undefined ? [] : [name]), ...extensions];
  const isNamed = new RegExp(`['"\`.](?:${names.join('|').replaceAll('.', '\\.')})['"\`/]`);
  return all.filter(({ text, code }) => !written(text) && isNamed.test(code)).map(({ path }) => path);
}

// The others are made here, too: renditions are JPEG, WebP, AVIF and PNG.
const onlyRead = acceptedFormats.filter(
  ({ contentType }) => !pictureFormats.some((made) => contentType === `image/${made}`),
);

test.each(onlyRead.map((format) => [format.name, format] as const))(
  '%s costs its declaration, and what decodes it',
  (_, format) => {
    const [files, own] = [knowing(format), [DECLARATIONS, ...filesOf(format.decoder)]];
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => !own.includes(path))).toEqual([]);
  },
);

test('JPEG XL costs two files', () => {
  const [format] = acceptedFormats.filter(({ decoder }) => decoder === 'jxl');
  expect(format && knowing(format).toSorted()).toEqual([moduleOf('jxl'), DECLARATIONS]);
});

test('a decoder is a module of its folder, and each module there decodes a format', () => {
  const modules = readdirSync(join(__dirname, '../..', FOLDER)).sort();
  expect(modules).toEqual(decoders.map((decoder) => `${decoder}.ts`).sort());
  const open = all.filter(({ path, code }) => path.startsWith(`${FOLDER}/`) && /^export const open\b/m.test(code));
  expect(open.map(({ path }) => path).sort()).toEqual(decoders.map(moduleOf).sort());
});

test('no list names the decoders: but for what they have of each other, only the kind of a raw file is asked for', () => {
  const importing = all.filter(
    ({ path, imports }) => !path.startsWith(`${FOLDER}/`) && imports.some((target) => target.startsWith(FOLDER)),
  );
  expect(importing.map(({ path, imports }) => [path, imports.filter((target) => target.startsWith(FOLDER))])).toEqual([
    ['src/adapters/media/media-child.ts', [moduleOf('raw')]],
  ]);
});
