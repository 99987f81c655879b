import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { folderSource } from '../../../cli/src/sources/folder-source.js';
import { picture } from '../../api/support/photos.js';
import { itemsOf, photoSourceContract, photosOf } from './source-contract.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-folder-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const titled = (title: string, attributes = '') => `<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
    xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" ${attributes}>
    <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>
    <dc:subject><rdf:Bag><rdf:li>Tag of ${title}</rdf:li></rdf:Bag></dc:subject>
  </rdf:Description></rdf:RDF></x:xmpmeta>`;

/** Writes files into the folder: pictures where nothing else is given. */
function files(contents: Readonly<Record<string, string | null>>): void {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content ?? picture(name));
  }
}

const titles = async (...paths: string[]) => {
  const source = folderSource(paths.length === 0 ? [folder] : paths, { sidecars: true });
  return photosOf(await itemsOf(source)).map(({ details }) => details.title);
};

describe('the contract', () => {
  photoSourceContract(() => {
    files({ 'a.jpg': null, 'a.jpg.xmp': titled('A'), 'deep/b.jpg': null, 'deep/notes.txt': 'notes' });
    return folderSource([folder], { sidecars: true });
  });
});

it('finds sidecars by either name, in any case, and the photo’s own before one that it may share', async () => {
  files({
    'a.jpg': null,
    'a.jpg.xmp': titled('as darktable names it'),
    'B.JPG': null,
    'b.XMP': titled('as Lightroom names it'),
    'c.jpg': null,
    'c.jpg.xmp': titled('own'),
    'c.xmp': titled('shared'),
    'd.jpg': null,
    'deep/d.jpg.xmp': titled('of another folder'),
  });
  const items = await itemsOf(folderSource([folder], { sidecars: true }));
  expect(photosOf(items).map(({ details }) => details.title)).toEqual([
    'as Lightroom names it',
    'as darktable names it',
    'own',
    undefined,
  ]);
  expect(photosOf(items).flatMap(({ losses }) => losses)).toEqual([
    { field: 'xmp', reason: 'superseded', value: 'c.xmp' },
  ]);
  expect(items.filter(({ kind }) => kind === 'skipped')).toEqual([
    { kind: 'skipped', label: join(folder, 'deep/d.jpg.xmp'), reason: 'not_an_image' },
  ]);
});

it('the sidecar of a raw file beside a photo does not belong to the photo', async () => {
  files({ 'a.jpg': null, 'a.xmp': titled('raw', 'photoshop:SidecarForExtension="NEF"') });
  expect(await titles()).toEqual([undefined]);
  files({ 'a.xmp': titled('its own', 'photoshop:SidecarForExtension="JPG"') });
  expect(await titles()).toEqual(['its own']);
});

it('a photo that is named by itself has its sidecar too', async () => {
  files({ 'a.jpg': null, 'a.jpg.xmp': titled('A'), 'b.jpg': null });
  expect(await titles(join(folder, 'a.jpg'))).toEqual(['A']);
});

it('a sidecar that cannot be read is reported as a loss, and sidecars can be ignored', async () => {
  files({ 'a.jpg': null, 'a.jpg.xmp': 'no XML', 'b.jpg': null, 'b.xmp': titled('B') });
  const [a, b] = photosOf(await itemsOf(folderSource([folder], { sidecars: true })));
  expect(a?.losses).toMatchObject([{ field: 'xmp', reason: 'unreadable' }]);
  expect(b).toMatchObject({ details: { title: 'B', tagNames: ['Tag of B'] }, losses: [] });
  const without = await itemsOf(folderSource([folder], { sidecars: false }));
  expect(photosOf(without).map(({ details }) => details)).toEqual([{}, {}]);
});

it('reads photos and sidecars from the paths that were checked, under the names that were found', async () => {
  files({ 'links/a.jpg': null, 'links/a.jpg.xmp': titled('elsewhere'), 'real/1': null, 'real/2': titled('checked') });
  const checked: Readonly<Record<string, string>> = { 'a.jpg': 'real/1', 'a.jpg.xmp': 'real/2' };
  const requireReadable = async (path: string) => join(folder, checked[basename(path)] ?? 'missing');
  const items = await itemsOf(folderSource([join(folder, 'links')], { sidecars: true, requireReadable }));
  expect(items).toMatchObject([
    {
      ...{ kind: 'photo', key: 'links/a.jpg', label: join(folder, 'links/a.jpg') },
      file: { path: join(folder, 'real/1'), filename: 'a.jpg' },
      details: { title: 'checked' },
    },
  ]);
});

it('films are distinguished from other files, and unreadable folders are reported', async () => {
  files({ 'a.mp4': 'film', 'notes.txt': 'notes' });
  const items = await itemsOf(folderSource([folder, join(folder, 'missing.jpg')], { sidecars: true }));
  expect(items).toEqual([
    { kind: 'skipped', label: join(folder, 'missing.jpg'), reason: 'unreadable', problem: 'The file does not exist.' },
    { kind: 'skipped', label: join(folder, 'a.mp4'), reason: 'video' },
    { kind: 'skipped', label: join(folder, 'notes.txt'), reason: 'not_an_image' },
  ]);
});

describe('the type of a file', () => {
  const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
  const heif = Buffer.from('0000001c667479706865697800000000', 'hex');

  it('is given by an extension that cameras and programs use for pictures, in any case', async () => {
    const names = ['HIF', 'heifs', 'HeicS', 'avifs', 'MPO', 'insp', 'jfi', 'pjpeg', 'apng', 'NRW', 'sr2'];
    files(Object.fromEntries(names.map((ending, at) => [`${at}.${ending}`, null])));
    const items = await itemsOf(folderSource([folder], { sidecars: true }));
    expect(photosOf(items)).toHaveLength(names.length);
  });

  it.each(['IMG_0001.HIF', 'recovered-f0012345'])('is a photo in a folder with %s', async (name) => {
    copyFileSync(join(__dirname, '../../fixtures/field', name), join(folder, name));
    expect(photosOf(await itemsOf(folderSource([folder], { sidecars: true })))).toMatchObject([
      { key: expect.stringContaining(name) },
    ]);
  });

  it('is given by its first bytes where its extension is missing or wrong', async () => {
    files({ 'notes.txt': 'notes', short: '' });
    for (const name of ['recovered-f0012345', 'IMG_1.bak', 'photo.psd']) writeFileSync(join(folder, name), jpeg);
    writeFileSync(join(folder, 'IMG.0001'), heif);
    const items = await itemsOf(folderSource([folder], { sidecars: true }));
    expect(photosOf(items).map(({ label }) => basename(label))).toEqual([
      'IMG.0001',
      'IMG_1.bak',
      'photo.psd',
      'recovered-f0012345',
    ]);
    expect(items.filter(({ kind }) => kind === 'skipped')).toMatchObject([
      { label: join(folder, 'notes.txt'), reason: 'not_an_image' },
      { label: join(folder, 'short'), reason: 'not_an_image' },
    ]);
  });

  it('is a format that is not supported, by name, or a video', async () => {
    const tiff = Buffer.from('49492a0008000000', 'hex');
    writeFileSync(join(folder, 'back.iiq'), tiff);
    files({ 'a.crw': 'II', 'b.PSD': '8BPS', 'c.avci': 'ftyp', 'd.jp2': '', 'film.mov': 'film' });
    const items = await itemsOf(folderSource([folder], { sidecars: true }));
    expect(items.map((item) => item.kind === 'skipped' && (item.problem ?? item.reason))).toEqual([
      'CRW files are not supported.',
      'PSD files are not supported.',
      'IIQ files are not supported.',
      'AVCI files are not supported.',
      'JPEG 2000 files are not supported.',
      'video',
    ]);
  });

  it('is not known where it cannot be read', async () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'no ending'));
    expect(await itemsOf(folderSource([folder], { sidecars: true }))).toMatchObject([
      { label: join(folder, 'no ending'), reason: 'unreadable' },
    ]);
  });
});

describe('the exclusion of files', () => {
  const labels = (items: Awaited<ReturnType<typeof itemsOf>>) =>
    items.map((item) => [item.label.slice(folder.length + 1), item.kind === 'skipped' ? item.reason : item.kind]);

  it.each([
    '@eaDir',
    '#recycle',
    '.@__thumb',
    '$RECYCLE.BIN',
    '$Recycle.Bin',
    'System Volume Information',
    '.thumbnails',
    'lost+found',
    '@Recycle',
    '__MACOSX',
  ])('omits the folder %s at any depth, counted as one, unless it was named itself', async (name) => {
    files({
      [`${name}/a.jpg`]: null,
      [`deep/${name}/b.jpg`]: null,
      [`deep/${name}/c/d.jpg`]: null,
      'deep/e.jpg': null,
    });
    expect(labels(await itemsOf(folderSource([folder], { sidecars: true }))).sort()).toEqual(
      [
        [name, 'system'],
        [`deep/${name}`, 'system'],
        ['deep/e.jpg', 'photo'],
      ].sort(),
    );
    expect(photosOf(await itemsOf(folderSource([join(folder, name)], { sidecars: true })))).toHaveLength(1);
  });

  it('follows patterns of names and of paths', async () => {
    files({ 'a.jpg': null, 'A.PNG': null, '2019/raw/x/b.jpg': null, '2019/c.jpg': null, 'drafts/d.jpg': null });
    const exclude = ['*.png', '2019/raw/**', 'drafts', '*/?.gif'];
    expect(labels(await itemsOf(folderSource([folder], { sidecars: true, exclude })))).toEqual([
      ['2019/c.jpg', 'photo'],
      ['a.jpg', 'photo'],
      ['2019/raw', 'excluded'],
      ['A.PNG', 'excluded'],
      ['drafts', 'excluded'],
    ]);
  });

  it('omits files that another program has not finished, and small pictures beside films', async () => {
    files({ 'a.jpg.part': null, 'b.crdownload': null, 'MVI_1.THM': null, 'Thumbs.db': null });
    expect(labels(await itemsOf(folderSource([folder], { sidecars: true })))).toEqual([
      ['MVI_1.THM', 'system'],
      ['Thumbs.db', 'system'],
      ['a.jpg.part', 'unfinished'],
      ['b.crdownload', 'unfinished'],
    ]);
  });
});

describe('names that are not UTF-8', () => {
  const place = (...parts: readonly (string | Buffer)[]) =>
    Buffer.concat([folder, '/', ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const latin = Buffer.from('caf\xe9', 'latin1');

  it('are found with their bytes escaped, in folders that are called so too, each with its sidecar', async () => {
    mkdirSync(place(latin));
    for (const path of [place(latin, '.jpg'), place(latin, '/été.jpg'), place(latin, '/', latin, '.jpg')])
      writeFileSync(path, picture(path.toString('hex')));
    writeFileSync(place(latin, '.jpg.xmp'), titled('Old'));
    files({ 'both/caf%E9.jpg': null, 'notes.txt': 'notes' });
    writeFileSync(place('both/', latin, '.jpg'), picture('both'));
    writeFileSync(place(latin, '.txt'), 'notes');
    const items = await itemsOf(folderSource([folder], { sidecars: true }));
    expect(photosOf(items).map(({ key, details }) => [key.slice(basename(folder).length + 1), details.title])).toEqual([
      ['both/caf%E9.jpg', undefined],
      ['both/caf%e9.jpg', undefined],
      ['caf%E9/caf%E9.jpg', undefined],
      ['caf%E9/été.jpg', undefined],
      ['caf%E9.jpg', 'Old'],
    ]);
    expect(items.filter(({ kind }) => kind === 'skipped').map(({ label }) => basename(label))).toEqual([
      'caf%E9.txt',
      'notes.txt',
    ]);
  });

  it('are not read where paths decide what may be read', async () => {
    writeFileSync(place(latin, '.jpg'), picture('a'));
    const requireReadable = (path: string) => Promise.resolve(path);
    expect(await itemsOf(folderSource([folder], { sidecars: true, requireReadable }))).toMatchObject([
      { reason: 'unreadable', problem: 'Its name is not UTF-8.' },
    ]);
  });
});
