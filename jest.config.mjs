import { options } from './bin/build/transpile.js';

/** As the build transpiles a file of this name, but to CommonJS. */
function swc(name) {
  return { ...options(name), module: { type: 'commonjs' }, sourceMaps: 'inline' };
}

/** Our sources are transformed to CommonJS: jest's own ES-module mode fails on Node 20 with @nestjs/throttler. Packages are loaded by Node. */
const common = {
  testEnvironment: '<rootDir>/test/support/worker-realm-environment.mjs',
  runtime: '<rootDir>/test/support/shared-packages-runtime.mjs',
  // Workspaces are tested as they are written, not as they were built last.
  testEnvironmentOptions: { customExportConditions: ['photo-service-source', 'node', 'node-addons'] },
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts', '<rootDir>/test/support/equal-bytes.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.(ts|js|mjs)$': ['@swc/jest', swc('any.ts')],
    '^.+\\.tsx$': ['@swc/jest', swc('any.tsx')],
  },
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
      testPathIgnorePatterns: ['<rootDir>/test/e2e/', '<rootDir>/test/services/', '<rootDir>/test/image/'],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
      globalSetup: '<rootDir>/test/e2e/support/build.mjs',
      globalTeardown: '<rootDir>/test/e2e/support/end.mjs',
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
