import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownCommands } from '../../src/cli/own-commands.js';
import { builtProgram } from '../support/built-program.js';
import { present } from '../support/tenant.js';

let folder: string;
beforeAll(async () => {
  await builtProgram();
  folder = mkdtempSync(join(tmpdir(), 'phs-docs-'));
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const docs = present(ownCommands().find((command) => command.name() === 'docs'));
  await docs.parseAsync([folder, '--json'], { from: 'user' });
  expect(JSON.parse(String(written.mock.calls[0]?.[0]))).toEqual({ folder, files: files().length });
  written.mockRestore();
});
afterAll(() => rmSync(folder, { recursive: true }));

function files(): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return all.map((entry) => join(entry.parentPath, entry.name).slice(folder.length)).sort();
}

test('phs docs writes every page, what pages need, and the documents of both APIs', () => {
  expect(files()).toEqual(
    expect.arrayContaining([
      '/docs/errors/not_found/index.html',
      '/docs/guides/quick-start/index.html',
      '/docs/index.html',
      '/docs/search.json',
      '/openapi-operator.json',
      '/openapi.json',
    ]),
  );
});

test('the files of phs docs include everything that a page refers to', () => {
  const there = new Set(files());
  const missing = files()
    .filter((path) => path.endsWith('.html'))
    .flatMap((path) => {
      const links = [...readFileSync(join(folder, path), 'utf8').matchAll(/(?:href|src)="(\/[^"#]*)/g)];
      return links.map(([, link = '']) => ({ path, link }));
    })
    .filter(({ link }) => !/^\/(settings|s|img)\b/.test(link))
    .filter(({ link }) => !there.has(link) && !there.has(`${link}/index.html`));
  expect(missing).toEqual([]);
});

test.each([
  ['request_timeout', 'Send the same request again after'],
  ['checksum_mismatch', 'send its bytes to the same URL'],
  ['not_found', 'Do not repeat the request as it is'],
])('the page of %s advises what its clients have to do', (code, advice) => {
  const page = readFileSync(join(folder, 'docs', 'errors', code, 'index.html'), 'utf8');
  expect(page.split('What to do')[1]).toContain(advice);
});
