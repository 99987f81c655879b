import { sources } from './sources.js';

const core = sources().filter(({ path }) => path.startsWith('src/core/'));

/** What core must not use: time comes from Clock, bytes are AsyncIterable, and there is no framework. */
const foreign: Readonly<Record<string, RegExp>> = {
  'a decorator': /^\s*@[A-Z]/m,
  'new Date() without a value': /\bnew Date\(\s*\)/,
  'Date.now': /\bDate\.now\b/,
  'a Buffer': /\bBuffer\b/,
  'a timer': /\bset(Timeout|Interval|Immediate)\b/,
  'the environment': /\bprocess\./,
  'the console': /\bconsole\./,
  'the scheme of a credential, or the headers of a proxy': /\bbearer\b|forwarded|authorization/i,
  'the method of a request': /['"`](GET|HEAD|OPTIONS|POST|PATCH|DELETE)['"`]/,
};

test('core is seen', () => {
  expect(core.length).toBeGreaterThan(30);
});

test.each(Object.entries(foreign))('core does without %s', (_, pattern) => {
  expect(core.filter(({ code }) => pattern.test(code)).map(({ path }) => path)).toEqual([]);
});

test('who acts travels in the caller: once an AsyncLocalStorage is in use, every promise of the process costs more', () => {
  // What a job was caused by goes along by itself, only while requests are traced.
  const traced = 'src/core/jobs/trace-context.ts';
  const ambient = core.filter(({ code, path }) => code.includes('async_hooks') && path !== traced);
  expect(ambient.map(({ path }) => path)).toEqual([]);
});
