import { sources } from './sources.js';

const core = sources().filter(({ path }) => path.startsWith('src/core/'));

/** What core must not use: time comes from Clock, bytes are AsyncIterable, and there is no framework. */
const foreign: Readonly<Record<string, RegExp>> = {
  'a decorator': /^\s*@[A-Z]/m,
  'new Date() without a value': /\bnew Date\(\s*\)/,
  'Date.now': /\bDate\.now\b/,
  'Math.random': /\bMath\.random\b/,
  'a Buffer': /\bBuffer\b/,
  'a timer': /\bset(Timeout|Interval|Immediate)\b/,
  'the environment': /\bprocess\./,
  'the console': /\bconsole\./,
  'the scheme of a credential, or the headers of a proxy': /\bbearer\b|forwarded|authorization/i,
};

/** What only http knows. Not even a message or a comment of core says it, or it would have to change along with http. */
const wordsOfHttp: Readonly<Record<string, RegExp>> = {
  'the method of a request': /\b(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)\b/,
  'a parameter of a query': /\binclude=/,
  'the path of a route, or what is put before it': /\bpublicUrl\b|['"`]\/[a-z]|\}\/[a-z]+\/\$\{/,
  headers: /\bheaders\b/i,
};

/** An upload address is handed on as it is, and so is that of the installation; webhooks are requests themselves, with headers that a standard prescribes. */
const itsBusiness: Readonly<Record<string, RegExp>> = {
  'the path of a route, or what is put before it': /^src\/core\/shared\/addresses\.ts$/,
  headers: /^src\/core\/(shared\/addresses\.ts|webhooks\/)/,
};

test('the files of core are found', () => {
  expect(core.length).toBeGreaterThan(30);
});

test.each(Object.entries(foreign))('core does without %s', (_, pattern) => {
  expect(core.filter(({ code }) => pattern.test(code)).map(({ path }) => path)).toEqual([]);
});

test.each(Object.entries(wordsOfHttp))('core does without %s, in prose, too', (name, pattern) => {
  const bound = core.filter(({ path }) => !itsBusiness[name]?.test(path));
  expect(bound.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
});

test('who acts travels in the caller: once an AsyncLocalStorage is in use, every promise of the process costs more', () => {
  const ambient = core.filter(({ code }) => code.includes('async_hooks'));
  expect(ambient.map(({ path }) => path)).toEqual([]);
});
