import { connect } from 'node:net';
import { multipart, picture, postFiles, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  actor = await app.customer();
});
afterAll(() => app.close());

const open = async (client = actor) => (await client.post('/imports')).body.id as number;
const outcomes = (answer: { body: { data: { outcome: string }[] } }) =>
  answer.body.data.map((result) => result.outcome);
const errors = (answer: { body: { error: { details: { errors: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.errors.map((error) => [error.field, error.code]);

async function staged(of: RunningApp = app): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of of.ports.blobs.list('staging/')) keys.push(key);
  return keys;
}

describe('files in the request', () => {
  test('are accepted in their order, under their own names', async () => {
    const id = await open();
    const answer = await postFiles(actor, id, [
      { filename: 'one.jpg', type: 'image/jpeg', content: picture('one') },
      { filename: 'C:\\photos\\ünï 图.jpg', content: picture('two') },
      { filename: '../../etc/three.jpg', content: picture('three') },
    ]);
    expect([answer.status, outcomes(answer)]).toEqual([201, ['created', 'created', 'created']]);
    expect(answer.body.data.map((result: { photo: { filename: string } }) => result.photo.filename)).toEqual([
      'one.jpg',
      'ünï 图.jpg',
      'three.jpg',
    ]);
    expect(answer.body.data[0].photo).toMatchObject({
      status: 'processing',
      sha256: sha256(picture('one')),
      upload: null,
    });
  });

  test('get further values from the part photos, as a field or as a file', async () => {
    const id = await open();
    const words = JSON.stringify([
      { title: 'A', clientRef: 'a' },
      { filename: 'b.jpg', tagNames: ['T'], sha256: sha256(picture('b')) },
    ]);
    const asField = await postFiles(actor, id, [
      { name: 'photos', content: words },
      { filename: '1.jpg', content: picture('a') },
      { filename: '2.jpg', content: picture('b') },
    ]);
    expect(asField.body.data).toMatchObject([
      { photo: { title: 'A', clientRef: 'a', filename: '1.jpg' } },
      { photo: { filename: 'b.jpg', tags: [{ name: 'T' }] } },
    ]);
    const asFile = await postFiles(actor, id, [
      { name: 'photos', filename: 'blob', type: 'application/json', content: '[{"title":"C"}]' },
      { filename: '3.jpg', content: picture('c') },
    ]);
    expect(asFile.body.data).toMatchObject([{ photo: { title: 'C' } }]);
  });

  test('are rejected without a picture, and their bytes are deleted', async () => {
    const id = await open();
    const before = await staged();
    const answer = await postFiles(actor, id, [
      { filename: 'a.jpg', content: '<html><script>alert(1)</script></html>' },
      { filename: 'empty.jpg', content: '' },
      { filename: 'good.jpg', content: picture('good') },
    ]);
    expect([answer.status, outcomes(answer)]).toEqual([201, ['rejected', 'rejected', 'created']]);
    expect(answer.body.data.map((result: { error: { code: string } | null }) => result.error?.code)).toEqual([
      'not_an_image',
      'file_empty',
      undefined,
    ]);
    expect(await staged()).toHaveLength(before.length + 1);
    const none = await postFiles(actor, id, [{ filename: 'a.jpg', content: 'text' }]);
    expect([none.status, none.body.error.code]).toEqual([422, 'no_photos_accepted']);
    expect(await staged()).toHaveLength(before.length + 1);
  });

  test('a declared hash that differs is rejected', async () => {
    const id = await open();
    const answer = await postFiles(actor, id, [
      { name: 'photos', content: JSON.stringify([{ sha256: '0'.repeat(64) }, {}]) },
      { filename: 'a.jpg', content: picture('a') },
      { filename: 'b.jpg', content: picture('b') },
    ]);
    expect(answer.body.data).toMatchObject([
      { outcome: 'rejected', error: { code: 'checksum_mismatch' } },
      { outcome: 'created' },
    ]);
  });

  test('a file over its limit is cut and rejected; the next is taken', async () => {
    const small = await startApp({ limits: { maxFileBytes: 100_000 } });
    try {
      const client = await small.customer();
      const answer = await postFiles(client, await open(client), [
        { filename: 'big.jpg', content: picture('x'.repeat(900_000)) },
        { filename: 'small.jpg', content: picture('small') },
      ]);
      expect(answer.body.data).toMatchObject([
        { outcome: 'rejected', error: { code: 'file_too_large' } },
        { outcome: 'created' },
      ]);
      expect(await staged(small)).toHaveLength(1);
    } finally {
      await small.close();
    }
  });

  test('are not read for an import that is missing or has ended', async () => {
    expect((await postFiles(actor, 999999, [{ filename: 'a.jpg', content: picture('a') }])).status).toBe(404);
    const id = await open();
    await actor.post(`/imports/${id}/finalize`);
    expect((await postFiles(actor, id, [{ filename: 'a.jpg', content: picture('a') }])).body.error.code).toBe(
      'import_not_open',
    );
  });
});

describe('the size of a request with files', () => {
  test('is limited to 20 files: more are 400, and none is stored', async () => {
    const id = await open();
    const before = await staged();
    const files = Array.from({ length: 21 }, (_, at) => ({ filename: `${at}.jpg`, content: picture(`many ${at}`) }));
    const answer = await postFiles(actor, id, files);
    expect([answer.status, errors(answer)]).toEqual([400, [['file', 'too_many']]]);
    expect(await staged()).toEqual(before);
    expect((await postFiles(actor, id, files.slice(1))).status).toBe(201);
  });

  test('is limited: more bytes are 413, by Content-Length or while they are read', async () => {
    const small = await startApp({ limits: { inlineMaxBytes: 50_000 } });
    try {
      const client = await small.customer();
      const id = await open(client);
      const { body, type } = multipart([{ filename: 'a.jpg', content: picture('x'.repeat(60_000)) }]);
      const chunks = Array.from({ length: Math.ceil(body.length / 10_000) }, (_, at) =>
        body.subarray(at * 10_000, at * 10_000 + 10_000),
      );
      for (const sent of [body, chunks]) {
        const answer = await client.post(`/imports/${id}/photos`, sent, { 'content-type': type });
        expect([answer.status, answer.body.error.details]).toEqual([413, { maxBytes: 50_000 }]);
      }
      expect(await staged(small)).toEqual([]);
    } finally {
      await small.close();
    }
  });
});

describe('multipart abuse', () => {
  const file = { filename: 'a.jpg', content: picture('a') };

  test.each([
    ['no part', [], [['file', 'required']]],
    ['only words', [{ name: 'photos', content: '[{}]' }], [['file', 'required']]],
    ['fewer words than files', [{ name: 'photos', content: '[{}]' }, file, file], [['photos', 'conflict']]],
    ['more words than files', [{ name: 'photos', content: '[{},{}]' }, file], [['photos', 'conflict']]],
    ['words after files', [file, { name: 'photos', content: '[{}]' }], [['photos', 'conflict']]],
    [
      'words twice',
      [{ name: 'photos', content: '[{}]' }, { name: 'photos', content: '[{}]' }, file],
      [['photos', 'conflict']],
    ],
    ['words that are no JSON', [{ name: 'photos', content: '[{' }, file], [['photos', 'invalid_json']]],
    ['words that are no list', [{ name: 'photos', content: '{}' }, file], [['photos', 'invalid_type']]],
    [
      'words of another shape',
      [{ name: 'photos', content: '[{"size":1}]' }, file],
      [['photos[0].size', 'unknown_field']],
    ],
    ['a part of another name', [{ ...file, name: 'image' }], [['image', 'unknown_field']]],
    ['a part with an empty name', [{ ...file, name: '' }], [['body', 'invalid_format']]],
    ['a part named like a prototype', [{ ...file, name: '__proto__' }], [['__proto__', 'unknown_field']]],
    ['a file as a field', [{ name: 'file', content: 'bytes' }], [['file', 'invalid_type']]],
    [
      'ten thousand parts',
      Array.from({ length: 10_000 }, (_, at) => ({ name: `p${at}`, content: '' })),
      [['p0', 'unknown_field']],
    ],
  ])('%s is 400 and leaves nothing', async (_, parts, expected) => {
    const id = await open();
    const before = await staged();
    const answer = await postFiles(actor, id, parts);
    expect([answer.status, errors(answer)]).toEqual([400, expected]);
    expect(await staged()).toEqual(before);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(0);
  });

  test.each([
    ['no boundary', 'multipart/form-data', Buffer.from('--x\r\n\r\n--x--')],
    ['another boundary', 'multipart/form-data; boundary=other', multipart([file]).body],
    ['an unclosed part', multipart([file]).type, multipart([file]).body.subarray(0, -30)],
    ['no bytes at all', 'multipart/form-data; boundary=x', Buffer.from('x')],
  ])('%s is 400', async (_, type, body) => {
    const id = await open();
    const before = await staged();
    const answer = await actor.post(`/imports/${id}/photos`, body, { 'content-type': type });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect(await staged()).toEqual(before);
  });

  test('a client that goes away in the middle leaves nothing, and nothing hangs', async () => {
    const id = await open();
    const before = await staged();
    const lines = app.log.length;
    const { body, type } = multipart([{ filename: 'a.jpg', content: picture('x'.repeat(300_000)) }]);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
        const head = `POST /api/v1/imports/${id}/photos HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
        socket.write(`${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`);
        socket.write(body.subarray(0, 100_000), () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    while (!app.log.slice(lines).some((line) => line.includes('/photos'))) await new Promise(setImmediate);
    while ((await staged()).length !== before.length) await new Promise(setImmediate);
    expect(app.log.slice(lines).filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });
});
