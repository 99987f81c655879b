// Searches of photos with titles, descriptions and file names in several scripts, a third of them in scripts without spaces: for
// `bench lists --texts`. With an earlier build beside this one, both are asked in turn.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../load.mjs';

const BATCH = 200;
const ROUNDS = 25;
const WORDS = 5000;
const AT = Date.parse('2026-01-01T00:00:00Z');

/** The same numbers in each run and each build (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some are had often, most hardly ever: the rank is as in Zipf's law. */
const choose = (random, all) => all[Math.floor(all.length ** random()) - 1];
const range = (from, count) => Array.from({ length: count }, (_, at) => String.fromCodePoint(from + at));

/** Words of a language, the frequent ones first. */
function vocabularyOf(random, characters, lengths) {
  const word = () =>
    Array.from({ length: lengths[Math.floor(random() * lengths.length)] }, () => choose(random, characters)).join('');
  return [...new Set(Array.from({ length: WORDS }, word))];
}

function languages(random) {
  const syllables = (consonants, vowels) => consonants.flatMap((one) => vowels.map((other) => one + other));
  const shuffled = (all) =>
    all
      .map((each) => [random(), each])
      .sort(([a], [b]) => a - b)
      .map(([, each]) => each);
  const latin = vocabularyOf(
    random,
    shuffled(syllables([...'bcdfghlmnprstvw'], [...'aeiou', 'an', 'er', 'ing'])),
    [2, 3, 4],
  );
  const han = vocabularyOf(random, shuffled(range(0x4e00, 2500)), [1, 2, 2, 2, 3]);
  const kana = vocabularyOf(random, shuffled([...range(0x30a2, 70), 'ー']), [3, 4, 5]);
  const hangul = vocabularyOf(random, shuffled(range(0xac00, 11_000).filter((_, at) => at % 12 === 0)), [2, 2, 3]);
  const thai = vocabularyOf(
    random,
    shuffled(syllables(range(0xe01, 46), ['', 'า', 'ิ', 'ี', '่', '้', 'ั', 'ุ'])),
    [2, 3, 4],
  );
  const some = (vocabulary, count) => Array.from({ length: count }, () => choose(random, vocabulary));
  return {
    latin: (count) => some(latin, count).join(' '),
    chinese: (count) => some(han, count).join(''),
    japanese: (count) =>
      some(han, count)
        .map((word, at) => (at % 3 === 2 ? `${choose(random, kana)}で` : `${word}の`))
        .join(''),
    korean: (count) =>
      some(hangul, count)
        .map((word) => `${word}${choose(random, ['', '에서', '의', '와'])}`)
        .join(' '),
    thai: (count) => some(thai, count).join(''),
  };
}

/** Texts of photo after photo: two of three in Latin, the others in turn. */
function textsOf(photos) {
  const random = randomNumbers(7);
  const say = languages(random);
  const others = ['chinese', 'japanese', 'korean', 'thai'];
  return Array.from({ length: photos }, (_, n) => {
    const inWords = say[n % 3 === 0 ? others[(n / 3) % others.length] : 'latin'];
    return {
      filename: `${random() < 0.1 ? inWords(2) : `IMG_${String(n).padStart(6, '0')}`}.jpg`,
      title: random() < 0.6 ? inWords(3 + Math.floor(random() * 4)) : null,
      description: random() < 0.3 ? inWords(10 + Math.floor(random() * 30)) : null,
    };
  });
}

const UNKNOWN = [
  ...['location', 'focus', 'place', 'rating', 'takenAt', 'takenAtLocal', 'timeZone', 'camera', 'exposure', 'companion'],
  ...['externalId', 'importId', 'originalLostAt', 'thumbhash', 'dominantColor', 'phash', 'trashedAt', 'purgeAt'],
];

function photoOf(customerId, id, n, texts) {
  const size = {
    sizeBytes: 3_000_000,
    width: 4000,
    height: 3000,
    orientation: 1,
    rotation: 0,
    alpha: false,
    damaged: false,
  };
  const file = {
    contentType: 'image/jpeg',
    sha256: randomBytes(32).toString('hex'),
    dupSeq: 0,
    blobKey: `originals/${customerId}/${id}`,
  };
  const at = new Date(AT + n * 1000);
  const times = { takenAtSource: 'none', metadata: {}, createdAt: at, updatedAt: at, version: 1 };
  const unknown = Object.fromEntries(UNKNOWN.map((field) => [field, null]));
  return { id, customerId, ...texts, ...unknown, ...size, ...file, ...times };
}

/** A build of the service with a database of its own. */
async function open(name, build) {
  const load = async (file) => import(new URL(file, build));
  const { openEmbeddedPostgres } = await load('adapters/embedded-postgres.js');
  const { openDataSource } = await load('adapters/typeorm/data-source.js');
  const { TypeormCustomerDirectory } = await load('adapters/typeorm/customers/customer.repository.js');
  const { TypeormCustomerStore } = await load('adapters/typeorm/customer-store.js');
  const { commandLine } = await load('core/audit/audit-entry.js');
  const { searchTerms } = await load('core/photos/photo-query.js');
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-texts-'));
  const postgres = await openEmbeddedPostgres(folder, 'own');
  const source = await openDataSource(postgres);
  const request = { name, defaultTimeZone: 'UTC', storageBytesLimit: null, photosLimit: null, createdAt: new Date(AT) };
  const { id: customerId } = await new TypeormCustomerDirectory(source).create(request, commandLine);
  const store = new TypeormCustomerStore(source);
  return {
    name,
    postgres,
    source,
    async add(batch, from) {
      await store.transaction(customerId, async ({ photos, importPhotos }) => {
        const ids = await importPhotos.allocateIds(batch.length);
        const photo = (texts, at) => photoOf(customerId, ids[at], from + at, texts);
        await photos.insertMany(batch.map((texts, at) => ({ photo: photo(texts, at), tagIds: [], exif: {} })));
      });
    },
    find(q) {
      const filters = { trashed: 'false', words: searchTerms(q) };
      const query = { filters, sort: '-createdAt', window: { after: null, limit: 51 } };
      return store.query(customerId, ({ photos }) => photos.list(query));
    },
    count: (q) => store.query(customerId, ({ photos }) => photos.count({ trashed: 'false', words: searchTerms(q) })),
    async close() {
      await source.destroy();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function timed(act) {
  const began = performance.now();
  await act();
  return performance.now() - began;
}

/** Each build in turn, in alternating order: the times of each. */
async function inTurn(builds, rounds, act) {
  const times = builds.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...builds.keys()];
    for (const at of round % 2 === 0 ? order : order.reverse())
      times[at].push(await timed(() => act(builds[at], round)));
  }
  return times;
}

/** Words of these texts, as they are searched for. */
function casesOf(texts) {
  const numbers = (test) => texts.map(({ title }) => title ?? '').filter(test);
  const frequent = (all) => {
    const counts = new Map();
    for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
    return [...counts].sort(([, a], [, b]) => b - a).map(([each]) => each);
  };
  const latin = frequent(numbers((title) => /^[a-z ]+$/.test(title)).flatMap((title) => title.split(' ')));
  const chinese = numbers((title) => /^\p{sc=Han}{4,}$/u.test(title));
  const middle = chinese[Math.floor(chinese.length / 2)];
  const pairs = frequent(chinese.flatMap((title) => [...title].slice(1).map((character, at) => title[at] + character)));
  const characters = frequent(chinese.flatMap((title) => [...title]));
  const [thai] = numbers((title) => /^\p{sc=Thai}{12,}$/u.test(title));
  const [korean] = numbers((title) => /^\p{sc=Hang}{3}/u.test(title));
  return {
    'Latin, frequent': latin[0],
    'Latin, rare': latin.at(-1),
    'Latin, none': 'zzzzzz',
    'Chinese, 1 character, frequent': characters[0],
    'Chinese, 1 character, rare': characters.at(-1),
    'Chinese, 2 characters, frequent': pairs[0],
    'Chinese, 2 characters, rare': pairs.at(-1),
    'Chinese, 4 characters, at the beginning': middle.slice(0, 4),
    'Chinese, 4 characters, at the end': middle.slice(-4),
    'Chinese, 4 frequent characters, none': `${pairs[0]}${pairs[1]}`.split('').reverse().join(''),
    'Thai, 6 characters': thai.slice(4, 10),
    'Korean, within a word': korean.split(' ')[0].slice(1),
    'Chinese and Latin, never together': `${characters[0]} ${latin[0]}`,
  };
}

/** @param before The folder of an earlier build, `…/dist/`, or undefined. */
export async function searchTexts(photos, before) {
  const texts = textsOf(photos);
  const builds = [];
  if (before !== undefined) builds.push(await open('before', new URL(`file://${before}`)));
  builds.push(await open('now', new URL('../../dist/', import.meta.url)));
  const ratio = (values) => (values.length === 1 ? '' : ` ${(values[1] / values[0]).toFixed(2)} ×`);
  const row = (what, values, of) =>
    console.log(
      `${what.padEnd(60)} ${values
        .map(of)
        .map((each) => each.padStart(14))
        .join('')}${ratio(values)}`,
    );
  try {
    console.log(`${''.padEnd(60)} ${builds.map(({ name }) => name.padStart(14)).join('')}`);
    const added = await inTurn(builds, photos / BATCH, (build, round) =>
      build.add(texts.slice(round * BATCH, (round + 1) * BATCH), round * BATCH),
    );
    row(
      'inserted, each',
      added.map((times) => median(times) / BATCH),
      (ms) => `${ms.toFixed(3)} ms`,
    );
    for (const { source } of builds) await source.query('VACUUM ANALYZE photos');
    const sizes = await Promise.all(
      builds.map(
        async ({ source }) =>
          (
            await source.query(
              `SELECT sum(pg_column_size(search))::float8 AS "column", pg_relation_size('photos_search')::float8 AS index,
         pg_total_relation_size('photos')::float8 AS all FROM photos`,
            )
          )[0],
      ),
    );
    for (const what of ['column', 'index', 'all']) {
      const names = { column: 'search column', index: 'its index', all: 'table with all indexes' };
      row(
        names[what],
        sizes.map((size) => size[what]),
        (bytes) => `${(bytes / 1e6).toFixed(1)} MB`,
      );
    }
    for (const [what, q] of Object.entries(casesOf(texts))) {
      const found = [];
      for (const build of builds) found.push(await build.count(q));
      const times = (await inTurn(builds, ROUNDS, (build) => build.find(q))).map(median);
      row(`${what} (${found.join(', ')} found)`, times, (ms) => `${ms.toFixed(2)} ms`);
    }
  } finally {
    for (const build of builds) await build.close();
  }
}
