import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');

/** Of the service in docker/compose.yml, not of what it runs beside. */
function settingsOfCompose(): readonly string[] {
  const compose = read('docker/compose.yml');
  const shared = compose.slice(compose.indexOf('x-environment:'), compose.indexOf('\nservices:'));
  const own = [...compose.matchAll(/<<: \*environment\n((?: {6}.*\n)+)/g)].map(([, lines]) => lines);
  return [...`${shared}${own.join('')}`.matchAll(/^ +([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);
}

test('docker/compose.yml sets what the service reads, and docs/operations.md explains each', () => {
  const names = settingsOfCompose();
  expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'RATE_LIMIT_STORE', 'ROLE', 'WORKER_CONCURRENCY']));
  const [config, operations] = [read('src/config.ts'), read('docs/operations.md')];
  expect(names.filter((name) => !config.includes(`'${name}'`))).toEqual([]);
  expect(names.filter((name) => !operations.includes(`\`${name}\``))).toEqual([]);
});

test('what docker/compose.yml asks its .env for is in the example', () => {
  const asked = new Set([...read('docker/compose.yml').matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name));
  const given = new Set([...read('docker/.env.example').matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  expect(given).toEqual(asked);
});

test('the image has every folder that the program reads at run time', () => {
  const image = read('docker/Dockerfile');
  const context = read('docker/Dockerfile.dockerignore');
  const guides = [...read('src/http/docs/documents.ts').matchAll(/'(\w+)\/[\w/-]+\.md'/g)].map(([, folder]) => folder);
  expect(guides).toContain('docs');
  for (const folder of new Set([...guides, 'bin', 'sdk', 'cli', 'examples'])) {
    expect(image).toContain(`COPY --from=build /app/${folder} ${folder}\n`);
    expect(context).toContain(`!${folder}\n`);
  }
});
