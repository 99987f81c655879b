import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(__dirname, '../../bin/api-changelog.js');
const folder = mkdtempSync(join(tmpdir(), 'api-changelog-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('the changelog of the API is the difference of the documents of its releases', () => {
  expect(run('--check')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('the difference of two documents: what was added, is no longer beta and was removed, each once', () => {
  const before = {
    paths: {
      '/tags': {
        get: {
          parameters: [
            { in: 'query', name: 'old' },
            { in: 'query', name: 'q' },
          ],
        },
      },
      '/gone': { get: {} },
    },
    webhooks: { 'tag.created': {} },
    components: {
      schemas: {
        Tag: { properties: { name: {}, mood: { enum: ['good'], 'x-stability': 'beta' } } },
      },
    },
  };
  const after = structuredClone(before) as typeof before & { paths: Record<string, object> };
  Reflect.deleteProperty(after.paths, '/gone');
  Object.assign(after.paths, { '/albums': { get: { parameters: [{ in: 'query', name: 'q' }] } } });
  Object.assign(after.webhooks, { 'tag.merged': {} });
  Object.assign(after.components.schemas.Tag.properties, {
    mood: { enum: ['good', 'bad'], 'x-stability': 'stable' },
    owner: { properties: { id: {} }, 'x-stability': 'beta' },
  });
  const [was, is] = [before, after].map((document, at) => {
    const path = join(folder, `${at}.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  });
  expect(run(String(was), String(is))).toEqual({
    status: 0,
    stderr: '',
    stdout: `### Added

- \`GET /albums\`
- event \`tag.merged\`
- \`Tag.mood\`: value \`bad\`
- field \`Tag.owner\` (beta)

### No longer beta

- field \`Tag.mood\`

### Removed

- \`GET /gone\`
`,
  });
});
