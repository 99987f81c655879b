import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { options } from './bin/build/transpile.js';

/** The suites that say `@rest`: they take long, or prove what few changes touch, and `npm test` leaves them to `npm run test:rest`. */
const root = dirname(fileURLToPath(import.meta.url));
const rest = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll('\\', '/')}`)
  .filter((name) => name.endsWith('.test.ts') && readFileSync(join(root, name), 'utf8').includes('@rest'));
const leftToRest = rest.map((name) => `/${name.replaceAll('.', '\\.')}$`);

/** As the build transpiles a file of this name, but to CommonJS. */
function swc(name) {
  return { ...options(name), module: { type: 'commonjs' }, sourceMaps: 'inline' };
}

/** Our sources are transformed to CommonJS: jest's own ES-module mode fails on Node 20 with @nestjs/throttler. Packages are loaded by Node. */
const common = {
  testEnvironment: '<rootDir>/test/support/worker-realm-environment.mjs',
  runtime: '<rootDir>/test/support/shared-modules-runtime.mjs',
  // Workspaces are tested as they are written, not as they were built last.
  testEnvironmentOptions: { customExportConditions: ['photo-service-source', 'node', 'node-addons'] },
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts', '<rootDir>/test/support/equal-bytes.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', swc('any.ts')],
    '^.+\\.tsx$': ['@swc/jest', swc('any.tsx')],
  },
};

const builtFirst = {
  globalSetup: '<rootDir>/test/e2e/support/build.mjs',
  globalTeardown: '<rootDir>/test/e2e/support/end.mjs',
};

export default {
  // Tests wait often: for a database, a process, a condition.
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/support/slow-first-sequencer.mjs',
  reporters: ['default', '<rootDir>/test/support/left-out-reporter.mjs'],
  projects: [
    {
      ...common,
      displayName: 'parts',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [...['e2e', 'services', 'image'].map((name) => `<rootDir>/test/${name}/`), ...leftToRest],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      testPathIgnorePatterns: leftToRest,
      ...builtFirst,
    },
    {
      ...common,
      displayName: 'rest',
      testMatch: rest.map((name) => `<rootDir>/${name}`),
      ...builtFirst,
    },
    {
      ...common,
      displayName: 'services',
      testMatch: ['<rootDir>/test/services/**/*.test.ts'],
      globalSetup: '<rootDir>/test/services/support/run.mjs',
      globalTeardown: '<rootDir>/test/services/support/end-run.mjs',
    },
    {
      ...common,
      displayName: 'image',
      testMatch: ['<rootDir>/test/image/**/*.test.ts'],
      globalSetup: '<rootDir>/test/image/support/build.mjs',
      globalTeardown: '<rootDir>/test/image/support/end.mjs',
    },
  ],
};
