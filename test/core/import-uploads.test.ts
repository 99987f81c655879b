import { deleteKey, issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { closeCustomer, suspendCustomer } from '../../src/core/customers/edit-customer.js';
import type { ItemDetails } from '../../src/core/imports/read.js';
import { receiveUpload } from '../../src/core/imports/receive/upload.js';
import type { InlineFile } from '../../src/core/imports/register/inline.js';
import { registerPhotos } from '../../src/core/imports/register/register.js';
import { HOUR } from '../../src/core/shared/clock.js';
import { signToken } from '../../src/core/shared/secrets.js';
import { brokenPictureBytes, pictureBytes } from '../../testing/memory/memory-media-reader.js';
import {
  Account,
  announced,
  blobsUnder,
  bytesOf,
  type ClientFile,
  everything,
  expectSound,
  fileOf,
  note,
  picture,
  runJobsUntilIdle,
  type World,
  world,
} from '../support/core-world.js';
import { atOnce, present } from '../support/tenant.js';

let ports: World;
let acme: Account;

beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

const forbidden = { code: 'upload_forbidden' };
const staged = () => blobsUnder(ports.blobs, 'staging/');

describe('an upload whose target a person requested', () => {
  const file = picture('a.jpg');
  let item: ItemDetails;

  beforeEach(async () => {
    const begun = await acme.start();
    const person = { ...acme.caller, apiKeyId: null };
    const { results } = await registerPhotos(ports, person, begun.id, [announced(file)]);
    item = present(results[0]?.photo);
  });

  test('continues when every key is deleted, from any address', async () => {
    await deleteKey(ports, operatorFor(acme.id), acme.keyId);
    await acme.upload(item, file.bytes, { address: '2001:db8::1' });
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({ status: 'ready', sha256: file.sha256 });
  });

  test.each([
    ['the customer is suspended', () => suspendCustomer(ports, commandLine, acme.id)],
    ['the customer is being erased', () => closeCustomer(ports, commandLine, acme.id)],
    ['it is six hours old', async () => ports.clock.pass(6 * HOUR)],
  ])('is refused once %s', async (_, happens) => {
    await happens();
    await expect(acme.upload(item, file.bytes)).rejects.toMatchObject(forbidden);
    expect(await staged()).toEqual([]);
  });
});

describe('an upload through its target', () => {
  let importId: number;
  let file: ClientFile;
  let item: ItemDetails;

  beforeEach(async () => {
    importId = (await acme.start()).id;
    file = picture('a.jpg');
    item = present((await acme.items(importId, announced(file)))[0]);
  });

  test('changes the status of the item, and its job inspects the bytes', async () => {
    await acme.upload(item, file.bytes, { declaredBytes: file.sizeBytes });
    expect(await acme.item(item)).toMatchObject({ status: 'processing', upload: null });
    await runJobsUntilIdle(ports);
    expect(await acme.item(item)).toMatchObject({
      status: 'ready',
      width: 400,
      height: 300,
      contentType: 'image/jpeg',
    });
    expect(await staged()).toEqual([]);
  });

  test('stores the hash if none was declared', async () => {
    const other = picture('b.jpg');
    const [unhashed] = await acme.items(importId, announced(other, { sha256: null }));
    await acme.upload(present(unhashed), other.bytes);
    expect(await acme.item(present(unhashed))).toMatchObject({ status: 'processing', sha256: other.sha256 });
  });

  test('of other bytes by a second sender at the same moment leaves the bytes of the first unchanged', async () => {
    const [mine, theirs] = [picture('b.jpg'), picture('c.jpg')];
    const [unhashed] = await acme.items(importId, announced(mine, { sha256: null }));
    expect(theirs.sizeBytes).toBe(mine.sizeBytes);
    const sent = await Promise.allSettled([mine, theirs].map(({ bytes }) => acme.upload(present(unhashed), bytes)));
    expect(sent.map((each) => each.status).sort()).toEqual(['fulfilled', 'rejected']);
    const taken = sent[0]?.status === 'fulfilled' ? mine : theirs;
    expect(await staged()).toHaveLength(1);
    await runJobsUntilIdle(ports);
    expect(await acme.item(present(unhashed))).toMatchObject({ status: 'ready', sha256: taken.sha256 });
  });

  const wrong: [string, (whole: Uint8Array) => Uint8Array, string][] = [
    ['too few bytes', (whole) => whole.subarray(1), 'size_mismatch'],
    ['no bytes', (whole) => whole.subarray(0, 0), 'size_mismatch'],
    ['other bytes', (whole) => whole.map((byte, at) => (at === 5 ? byte ^ 1 : byte)), 'checksum_mismatch'],
    ['too many bytes', (whole) => Buffer.concat([whole, whole]), 'payload_too_large'],
  ];
  test.each(wrong)('of %s stores nothing, and the item still waits', async (_, spoil, code) => {
    const before = await everything(ports);
    await expect(acme.upload(item, spoil(file.bytes))).rejects.toMatchObject({ code });
    expect(await everything(ports)).toEqual(before);
    await acme.upload(item, file.bytes);
    expect(await acme.item(item)).toMatchObject({ status: 'processing' });
  });

  test.each([
    [1, 'payload_too_large'],
    [-1, 'size_mismatch'],
  ])('whose declared length is %i too many is refused before a byte is read', async (more, code) => {
    const bytes = (async function* (): AsyncIterable<Uint8Array> {
      yield* [];
      throw new Error('was read');
    })();
    const token = present(item.upload?.url.split('/uploads/')[1]);
    const refused = receiveUpload(ports, { token, address: '10.0.0.1', declaredBytes: file.sizeBytes + more, bytes });
    await expect(refused).rejects.toMatchObject({ code });
  });

  test('is refused when the item gets a new target before the last byte, and the item waits for its new bytes', async () => {
    const other = picture('b.jpg');
    const bytes = (async function* () {
      yield file.bytes;
      await acme.edit(item, { sha256: other.sha256, sizeBytes: other.sizeBytes });
    })();
    await expect(acme.uploadStream(item, bytes)).rejects.toMatchObject({ code: 'import_photo_final' });
    expect(await staged()).toEqual([]);
    const waiting = await acme.item(item);
    expect(waiting).toMatchObject({ status: 'awaiting_upload', sha256: other.sha256 });
    await acme.upload(waiting, other.bytes);
  });

  test('that is interrupted stores nothing, and passes the error on', async () => {
    const before = await everything(ports);
    const cut = new Error('connection reset');
    const bytes = (async function* () {
      yield file.bytes.subarray(0, 10);
      throw cut;
    })();
    const token = present(item.upload?.url.split('/uploads/')[1]);
    await expect(receiveUpload(ports, { token, address: '10.0.0.1', declaredBytes: null, bytes })).rejects.toBe(cut);
    expect(await everything(ports)).toEqual(before);
  });

  test('after a failed one is unaffected by a late result of the earlier inspection', async () => {
    await acme.upload(item, file.bytes);
    const earlier = present(await ports.importSteps.readItem(acme.id, importId, item.id));
    const failure = { item: earlier, error: { code: 'decode_failed', message: 'The image is damaged.' } } as const;
    await ports.importSteps.apply(failure);
    await acme.upload(await acme.edit(item, { status: 'awaiting_upload' }), file.bytes);
    await ports.importSteps.apply(failure);
    expect(await acme.item(item)).toMatchObject({ status: 'processing', error: null });
  });

  describe('a repeated upload of the same item', () => {
    const states: [string, () => Promise<unknown>][] = [
      ['processing', async () => undefined],
      ['ready', () => runJobsUntilIdle(ports)],
      ['imported', () => acme.finalize(importId).then(() => runJobsUntilIdle(ports))],
    ];
    test.each(states)('is accepted while the item is %s, and changes nothing', async (status, until) => {
      await acme.upload(item, file.bytes);
      await until();
      expect(await acme.item(item)).toMatchObject({ status });
      const before = await everything(ports);
      await acme.upload(item, file.bytes);
      expect(await everything(ports)).toEqual(before);
    });

    test.each(states)('of other bytes is refused while the item is %s', async (status, until) => {
      await acme.upload(item, file.bytes);
      await until();
      const before = await everything(ports);
      const other = file.bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte));
      const refused = { code: 'import_photo_final', details: { status } };
      await expect(acme.upload(item, other)).rejects.toMatchObject(refused);
      expect(await everything(ports)).toEqual(before);
    });

    test('from many senders at once results in one photo', async () => {
      const answers = await atOnce(5, () =>
        acme.upload(item, file.bytes).then(
          () => 'taken',
          ({ code }: { code: string }) => code,
        ),
      );
      // One is received at a time, and the newest is.
      expect([...new Set(answers)].sort()).toEqual(['taken', 'upload_in_progress']);
      expect(answers.at(-1)).toBe('taken');
      await acme.finalize(importId);
      await runJobsUntilIdle(ports);
      expect(await acme.photos()).toHaveLength(1);
      await expectSound(ports);
    });
  });

  test.each(['failed', 'cancelled'])('to an item that is %s is refused', async (status) => {
    if (status === 'cancelled') await acme.edit(item, { status });
    else await acme.finalize(importId, { missingUploads: 'fail' });
    const refused = { code: 'import_photo_final', details: { status, photoId: null } };
    await expect(acme.upload(item, file.bytes)).rejects.toMatchObject(refused);
    expect(await staged()).toEqual([]);
  });

  describe('an upload is forbidden', () => {
    test('once the target has expired, while a fresh one works', async () => {
      ports.clock.pass(6 * HOUR - 1000);
      const early = await acme.item(item);
      ports.clock.pass(1000);
      await expect(acme.upload(item, file.bytes)).rejects.toMatchObject(forbidden);
      expect(early.upload?.expiresAt.getTime()).toBeGreaterThan(ports.clock.now().getTime());
      await acme.upload(early, file.bytes);
    });

    test('once the key is deleted', async () => {
      await deleteKey(ports, operatorFor(acme.id), acme.keyId);
      await expect(acme.upload(item, file.bytes)).rejects.toMatchObject(forbidden);
      const other = await Account.open(ports, { customerId: acme.id });
      await other.upload(await other.item(item), file.bytes);
    });

    test('once the key has expired', async () => {
      const request = {
        name: 'short',
        scopes: ['all'],
        ipList: [],
        readLimit: null,
        writeLimit: null,
      };
      const { key } = await issueKey(ports, operatorFor(acme.id), {
        ...request,
        expiresAt: new Date(ports.clock.now().getTime() + HOUR),
      });
      const grant = [acme.id, importId, item.id, item.uploadId, file.sizeBytes, file.sha256, key.id, 4_000_000_000];
      const token = signToken(ports.secrets, 'upload', grant);
      const send = () =>
        receiveUpload(ports, { token, address: '10.0.0.1', declaredBytes: null, bytes: bytesOf(file.bytes) });
      ports.clock.pass(HOUR);
      await expect(send()).rejects.toMatchObject(forbidden);
      ports.clock.pass(-1);
      await send();
      expect(await acme.item(item)).toMatchObject({ status: 'processing' });
    });

    test.each(['suspended', 'closing'] as const)('while the customer is %s', async (status) => {
      await ports.store.change(acme.id, { status });
      await expect(acme.upload(item, file.bytes)).rejects.toMatchObject(forbidden);
    });

    test('from an address that the IP list of the key does not admit', async () => {
      const guarded = await Account.open(ports, { customerId: acme.id, ipList: ['10.0.0.0/8', '2001:db8::/32'] });
      const target = await guarded.item(item);
      for (const address of ['11.0.0.1', '2001:db9::1', '203.0.113.9']) {
        await expect(guarded.upload(target, file.bytes, { address })).rejects.toMatchObject(forbidden);
      }
      await guarded.upload(target, file.bytes, { address: '10.1.2.3' });
      await guarded.upload(target, file.bytes, { address: '2001:db8::1' });
    });

    test.each([
      ['forged', (token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
      ['cut', (token: string) => token.slice(0, -4)],
      ['no token', () => 'x'],
      [
        'made for something else',
        () => signToken(ports.secrets, 'rendition', [acme.id, importId, item.id, 1, 1, null, 1, 4e9]),
      ],
    ])('with a token that is %s', async (_, spoil) => {
      const token = spoil(present(item.upload?.url.split('/uploads/')[1]));
      const sending = receiveUpload(ports, {
        token,
        address: '10.0.0.1',
        declaredBytes: null,
        bytes: bytesOf(file.bytes),
      });
      await expect(sending).rejects.toMatchObject(forbidden);
    });
  });
});

describe('files in the request itself', () => {
  let importId: number;
  beforeEach(async () => {
    importId = (await acme.start()).id;
  });

  test('are stored and inspected, with their own names and no other values', async () => {
    const [a, b] = [picture('a.jpg'), picture('b.jpg')];
    const { results, import: after } = await acme.inline(importId, [a, b]);
    expect(results).toMatchObject([
      { index: 0, outcome: 'created', photo: { ...announced(a), status: 'processing', upload: null }, error: null },
      { index: 1, outcome: 'created', photo: { ...announced(b), status: 'processing', upload: null }, error: null },
    ]);
    expect(after.counts).toMatchObject({ total: 2, processing: 2 });
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    expect(await acme.import(importId)).toMatchObject({ status: 'completed', counts: { imported: 2 } });
    expect(await acme.original(present(results[0]?.photo).id)).toEqual(Buffer.from(a.bytes));
    expect(await staged()).toEqual([]);
  });

  test('take their values by their order', async () => {
    const files = [picture('a.jpg'), picture('b.jpg')];
    const words = [{ title: 'first' }, { filename: 'renamed.jpg', title: 'second', clientRef: 'ref' }];
    const { results } = await acme.inline(importId, files, words);
    expect(results.map(({ photo }) => photo)).toMatchObject([
      { filename: 'a.jpg', title: 'first', clientRef: null },
      { filename: 'renamed.jpg', title: 'second', clientRef: 'ref' },
    ]);
  });

  test('have a result each', async () => {
    const known = picture('known.jpg');
    const photo = await acme.addPhoto(known);
    const twice = picture('twice.jpg');
    const files = [
      known,
      note('text.jpg'),
      picture('video.jpg', { contentType: 'video/mp4' }),
      fileOf('empty.jpg', new Uint8Array()),
      twice,
      fileOf('copy.jpg', twice.bytes),
      picture('a/b.jpg'),
      fileOf('broken.jpg', brokenPictureBytes()),
    ];
    const { results } = await acme.inline(importId, files);
    expect(results.map((result) => [result.outcome, result.error?.code ?? result.photo?.status])).toEqual([
      ['duplicate', 'duplicate'],
      ['rejected', 'not_an_image'],
      ['rejected', 'unsupported_format'],
      ['rejected', 'file_empty'],
      ['created', 'processing'],
      ['duplicate', 'duplicate'],
      ['rejected', 'invalid_request'],
      ['created', 'processing'],
    ]);
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(results[0]?.photo).toMatchObject({ photoId: photo.id });
    expect(await staged()).toHaveLength(2);
    await acme.finalize(importId);
    await runJobsUntilIdle(ports);
    const ended = await acme.import(importId);
    expect(ended).toMatchObject({ status: 'completed_with_errors', counts: { imported: 1, duplicate: 2, failed: 1 } });
    expect(await staged()).toEqual([]);
    await expectSound(ports);
  });

  test('with a declared hash that differs are rejected, and nothing of them is stored', async () => {
    const [right, wrong] = [picture('a.jpg'), picture('b.jpg')];
    const words = [{ sha256: right.sha256.toUpperCase() }, { sha256: right.sha256 }];
    const { results } = await acme.inline(importId, [right, wrong], words);
    expect(results).toMatchObject([
      { outcome: 'created' },
      { outcome: 'rejected', error: { code: 'checksum_mismatch' } },
    ]);
    expect(await staged()).toHaveLength(1);
  });

  test('with a declared size that differs are rejected, and nothing of them is stored', async () => {
    const file = picture('a.jpg');
    const words = [{ sizeBytes: file.sizeBytes + 1 }, { sizeBytes: file.sizeBytes }];
    const { results } = await acme.inline(importId, [file, file], words);
    expect(results).toMatchObject([{ outcome: 'rejected', error: { code: 'size_mismatch' } }, { outcome: 'created' }]);
    expect(await staged()).toHaveLength(1);
  });

  test('over the size limit are cut off, and the others continue', async () => {
    ports = world({ limits: { maxFileBytes: 1000 } });
    acme = await Account.open(ports);
    importId = (await acme.start()).id;
    const large = fileOf('large.jpg', pictureBytes({ width: 1, height: 1, title: 'x'.repeat(1000) }));
    const { results } = await acme.inline(importId, [large, picture('a.jpg')]);
    expect(results).toMatchObject([{ outcome: 'rejected', error: { code: 'file_too_large' } }, { outcome: 'created' }]);
    expect(await staged()).toHaveLength(1);
  });

  test.each([
    ['more words than files', 2, 'photos', 'conflict'],
    ['fewer words than files', 0, 'photos', 'conflict'],
  ])('with %s are refused, and nothing is stored', async (_, words, field, code) => {
    const before = await everything(ports);
    const refused = { code: 'invalid_request', details: { errors: [{ field, code }] } };
    const sending = acme.inline(importId, [picture('a.jpg')], Array(words).fill({}));
    await expect(sending).rejects.toMatchObject(refused);
    expect(await everything(ports)).toEqual(before);
  });

  test('are refused when there are none or too many, and nothing is stored', async () => {
    ports = world({ limits: { inlineMaxFiles: 2 } });
    acme = await Account.open(ports);
    importId = (await acme.start()).id;
    const before = await everything(ports);
    const refused = (field: string, code: string) => ({
      code: 'invalid_request',
      details: { errors: [{ field, code }] },
    });
    await expect(acme.inline(importId, [])).rejects.toMatchObject(refused('file', 'required'));
    const three = ['a', 'b', 'c'].map((name) => picture(name));
    await expect(acme.inline(importId, three)).rejects.toMatchObject(refused('file', 'too_many'));
    expect(await everything(ports)).toEqual(before);
  });

  test('that are all rejected, or name an unknown tag, leave nothing stored', async () => {
    const before = await everything(ports);
    await expect(acme.inline(importId, [note('a.jpg')])).rejects.toMatchObject({ code: 'no_photos_accepted' });
    const unknown = acme.inline(importId, [picture('a.jpg')], [{ tagIds: [99] }]);
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await everything(ports)).toEqual(before);
  });

  test('of an interrupted request leave nothing stored', async () => {
    const before = await everything(ports);
    const cut = new Error('connection reset');
    const files = (async function* (): AsyncIterable<InlineFile> {
      yield { filename: 'a.jpg', bytes: bytesOf(picture('a.jpg').bytes) };
      yield {
        filename: 'b.jpg',
        bytes: (async function* () {
          yield picture('b.jpg').bytes.subarray(0, 20);
          throw cut;
        })(),
      };
    })();
    await expect(acme.inline(importId, files)).rejects.toBe(cut);
    expect(await everything(ports)).toEqual(before);
  });

  test('are not read for an import that is missing, another customer’s, or no longer open', async () => {
    const files = (): AsyncIterable<InlineFile> =>
      (async function* () {
        yield* [];
        throw new Error('was read');
      })();
    await expect(acme.inline(importId + 1, files())).rejects.toMatchObject({ code: 'not_found' });
    const other = await Account.open(ports);
    await expect(other.inline(importId, files())).rejects.toMatchObject({ code: 'not_found' });
    await acme.finalize(importId);
    await expect(acme.inline(importId, files())).rejects.toMatchObject({ code: 'import_not_open' });
  });

  test('for an import that is finalized meanwhile are refused, and nothing is stored', async () => {
    const files = (async function* (): AsyncIterable<InlineFile> {
      yield { filename: 'a.jpg', bytes: bytesOf(picture('a.jpg').bytes) };
      await acme.finalize(importId);
    })();
    await expect(acme.inline(importId, files)).rejects.toMatchObject({ code: 'import_not_open' });
    expect(await staged()).toEqual([]);
  });

  describe('files in the request with a known clientRef', () => {
    const words = [{ clientRef: 'ref' }];

    test('upload the bytes of an item that waits for them', async () => {
      const file = picture('a.jpg');
      const [item] = await acme.items(importId, announced(file, { clientRef: 'ref' }));
      const { results } = await acme.inline(importId, [file], words);
      expect(results).toMatchObject([{ outcome: 'existing', photo: { id: item?.id, status: 'processing' } }]);
      await acme.upload(present(item), file.bytes).catch((error) => expect(error.code).toBe('import_photo_final'));
      await runJobsUntilIdle(ports);
      expect(await acme.item(present(item))).toMatchObject({ status: 'ready' });
      expect(await staged()).toEqual([]);
    });

    test('reactivate an item that has failed', async () => {
      const [item] = await acme.send(importId, [note('a.jpg')], { clientRef: 'ref' });
      await runJobsUntilIdle(ports);
      const right = picture('right.jpg');
      const { results } = await acme.inline(importId, [right], words);
      expect(results).toMatchObject([
        { outcome: 'existing', photo: { id: item?.id, status: 'processing', sha256: right.sha256, error: null } },
      ]);
      await runJobsUntilIdle(ports);
      expect(await acme.item(present(item))).toMatchObject({ status: 'ready' });
      expect(await staged()).toEqual([]);
    });

    test('of an item that has its bytes change nothing and leave nothing in staging', async () => {
      const file = picture('a.jpg');
      await acme.inline(importId, [file], words);
      await runJobsUntilIdle(ports);
      const { results } = await acme.inline(importId, [file], words);
      expect(results).toMatchObject([{ outcome: 'existing', photo: { status: 'ready' } }]);
      expect(await staged()).toEqual([]);
    });

    test('and other bytes are a conflict, and the item keeps its own', async () => {
      const file = picture('a.jpg');
      const first = await acme.inline(importId, [file], words);
      const { results } = await acme.inline(importId, [picture('b.jpg'), picture('c.jpg')], [...words, {}]);
      expect(results).toMatchObject([
        { outcome: 'rejected', error: { code: 'client_ref_conflict' } },
        { outcome: 'created' },
      ]);
      await acme.finalize(importId);
      await runJobsUntilIdle(ports);
      expect(await acme.original(present(first.results[0]?.photo).id)).toEqual(Buffer.from(file.bytes));
      expect(await staged()).toEqual([]);
    });

    test('are one item if two of one request share it', async () => {
      const file = picture('a.jpg');
      const { results } = await acme.inline(importId, [file, file], [...words, ...words]);
      expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'existing']);
      expect(await staged()).toHaveLength(1);
    });

    test('reactivate a failed item once if two of one request share it', async () => {
      await acme.send(importId, [note('a.jpg')], { clientRef: 'ref' });
      await runJobsUntilIdle(ports);
      const file = picture('right.jpg');
      const { results } = await acme.inline(importId, [file, file], [...words, ...words]);
      expect(results.map(({ outcome }) => outcome)).toEqual(['existing', 'existing']);
      expect(await staged()).toHaveLength(1);
      await acme.finalize(importId);
      await runJobsUntilIdle(ports);
      expect(await acme.import(importId)).toMatchObject({ status: 'completed', counts: { imported: 1 } });
      expect(await staged()).toEqual([]);
    });

    test('in parallel requests are one item, of the bytes of one of them', async () => {
      const files = ['a', 'b', 'c', 'd'].map((name) => picture(name));
      const answers = await Promise.allSettled(files.map((file) => acme.inline(importId, [file], words)));
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await acme.finalize(importId);
      await runJobsUntilIdle(ports);
      expect(await acme.import(importId)).toMatchObject({ status: 'completed', counts: { total: 1, imported: 1 } });
      expect(await staged()).toEqual([]);
      await expectSound(ports);
    });
  });
});
