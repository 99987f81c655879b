import { importStateFile } from '../../cli/src/import/import-state-file.js';

const login = { url: 'https://photos.example.com', token: 'phs_live_own' };
const fileOf = (as = login, options = {}) => importStateFile(as, 'folder', ['photos'], options);

test('a run of an import continues only with the service, key, paths and options that it was started with', () => {
  const files = [
    fileOf(),
    fileOf({ ...login, token: 'phs_live_work' }),
    fileOf({ ...login, url: 'https://photos.example.org' }),
    fileOf(login, { tagNames: ['Paris'] }),
    importStateFile(login, 'takeout', ['photos'], {}),
    importStateFile(login, 'folder', ['other'], {}),
  ];
  expect(new Set(files).size).toBe(files.length);
  expect(fileOf({ ...login, url: `${login.url}/` })).toBe(files[0]);
  expect(fileOf(login, { uploads: 3 })).toBe(files[0]);
  expect(fileOf(login, { tagNames: ['Paris'], tagDuplicates: true })).toBe(files[3]);
});
