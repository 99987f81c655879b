import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { closeCustomer, resumeCustomer, suspendCustomer } from '../../src/core/customers/edit-customer.js';
import { resealSecrets } from '../../src/core/customers/reseal.js';
import { editPhoto, setPhotoTags } from '../../src/core/photos/edit-photo.js';
import { trashPhoto } from '../../src/core/photos/trash.js';
import { after, DAY, HOUR } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import {
  createShare,
  editShare,
  listShares,
  readShare,
  revokeShare,
  type ShareContents,
  shareTokens,
} from '../../src/core/shares/own-shares.js';
import { MAX_SHARED_PHOTOS, MAX_SHARES, type ShareSettings } from '../../src/core/shares/share.js';
import { listSharedPhotos, readSharedPhoto } from '../../src/core/shares/shared-photos.js';
import {
  enterShare,
  isAdmitted,
  KNOWN_DAYS,
  openShare,
  PASS_HOURS,
  recordVisits,
} from '../../src/core/shares/visitors.js';
import { createTag } from '../../src/core/tags/create-tags.js';
import { deleteTag } from '../../src/core/tags/delete-tag.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

let here: World;
let account: Account;
let acme: Id;
beforeEach(async () => {
  here = world();
  account = await Account.open(here);
  acme = account.id;
});

const add = async (filename = 'a.jpg', of = account) => (await of.addPhoto(picture(filename))).id;
const share = async (values: Partial<ShareSettings> & ShareContents = {}, of = acme) => {
  const settings = {
    title: 'Paris',
    mayDownload: false,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    expiresAt: null,
    password: null,
  };
  const contents = values.tagId === undefined && values.photoIds === undefined ? { photoIds: [await add()] } : {};
  const { share: created, token } = await createShare(here, operatorFor(of), { ...settings, ...contents, ...values });
  return { ...created, link: present(token) };
};
const tagged = async (name: string, ...photoIds: Id[]) => {
  const { tag } = await createTag(here, account.caller, { name });
  for (const id of photoIds) await setPhotoTags(here, account.caller, id, { tagIds: [tag.id] });
  return tag.id;
};
const shown = async (link: string) => {
  const { data } = await listSharedPhotos(here, await openShare(here, link), { limit: 100, cursor: null });
  return data.map(({ id }) => id);
};
const tomorrow = () => after(here.clock.now(), DAY);
const closed = { code: 'not_found', message: expect.stringContaining('no longer works') };
const invalid = (field: string, code: string) => ({
  code: 'invalid_request',
  details: { errors: [expect.objectContaining({ field, code })] },
});
const entries = async () => {
  const all = await here.store.query(acme, ({ audit }) => audit.list(null, 100));
  return all
    .toReversed()
    .filter(({ action }) => action.startsWith('share.'))
    .map(({ action, subjectId, subjectName, changes }) => [action, subjectId, subjectName, ...changes]);
};

describe('a share', () => {
  test('is opened by its token, which its owner can always see, and which is stored encrypted only', async () => {
    const { link, ...created } = await share({ title: ' Paris ', expiresAt: tomorrow() });
    expect(link).toMatch(/^[\w-]{43}$/);
    expect(created).toMatchObject({ customerId: acme, title: 'Paris', visits: 0, lastVisitedAt: null });
    expect(JSON.stringify(created)).not.toContain(link);
    expect(await openShare(here, link)).toEqual(created);
    expect(await readShare(here, acme, created.id)).toEqual({ share: created, token: link });
    expect(await listShares(here, acme)).toEqual([{ share: created, token: link }]);
  });

  test('shows the photos that have its tag at the time of viewing', async () => {
    const [a, b] = [await add('a.jpg'), await add('b.jpg')];
    const tagId = await tagged('Paris', a);
    const { link } = await share({ tagId });
    expect(await shown(link)).toEqual([a]);
    await setPhotoTags(here, account.caller, b, { tagIds: [tagId] });
    expect(new Set(await shown(link))).toEqual(new Set([a, b]));
    await deleteTag(here, account.caller, tagId);
    expect(await shown(link)).toEqual([]);
  });

  test('shows chosen photos, and no others', async () => {
    const [a, b, c] = [await add('a.jpg'), await add('b.jpg'), await add('c.jpg')];
    const { link, ...created } = await share({ photoIds: [b, a, b] });
    expect(new Set(await shown(link))).toEqual(new Set([a, b]));
    expect((await readSharedPhoto(here, created, a)).id).toBe(a);
    await expect(readSharedPhoto(here, created, c)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('shows nothing that is in the trash, from the moment it is there', async () => {
    const [a, b] = [await add('a.jpg'), await add('b.jpg')];
    const [chosen, byTag] = [await share({ photoIds: [a, b] }), await share({ tagId: await tagged('Paris', a, b) })];
    await trashPhoto(here, account.caller, a);
    for (const { link, ...created } of [chosen, byTag]) {
      expect(await shown(link)).toEqual([b]);
      await expect(readSharedPhoto(here, created, a)).rejects.toMatchObject({ code: 'not_found' });
    }
    await editPhoto(here, account.caller, a, { trashed: false });
    expect((await shown(chosen.link)).length).toBe(2);
  });

  test('is shown page by page, with cursors that are valid for no other share', async () => {
    const ids = [await add('a.jpg'), await add('b.jpg'), await add('c.jpg')];
    const [one, other] = [await share({ photoIds: ids }), await share({ photoIds: ids })];
    const first = await listSharedPhotos(here, one, { limit: 2, cursor: null });
    const rest = await listSharedPhotos(here, one, { limit: 2, cursor: first.nextCursor });
    expect([...first.data, ...rest.data].map(({ id }) => id).sort()).toEqual(ids);
    expect(rest.nextCursor).toBeNull();
    const stolen = listSharedPhotos(here, other, { limit: 2, cursor: first.nextCursor });
    await expect(stolen).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  test.each([
    [{ title: ' ' }, 'title', 'too_short'],
    [{ title: 'x'.repeat(101) }, 'title', 'too_long'],
    [{ expiresAt: new Date(0) }, 'expiresAt', 'out_of_range'],
    [{ password: 'short' }, 'password', 'too_short'],
    [{ password: 'x'.repeat(201) }, 'password', 'too_long'],
    [{ uploadFilesLimit: -1 }, 'uploadFilesLimit', 'out_of_range'],
    [{ uploadBytesLimit: 2 ** 41 }, 'uploadBytesLimit', 'out_of_range'],
    [{ photoIds: [] }, 'photoIds', 'required'],
    [{ photoIds: Array.from({ length: MAX_SHARED_PHOTOS + 1 }, (_, at) => at + 1) }, 'photoIds', 'too_many'],
    [{ photoIds: [1], tagId: 1 }, 'photoIds', 'conflict'],
    [{ photoIds: [999] }, 'photoIds', 'conflict'],
    [{ tagId: 999 }, 'tagId', 'unknown_tag'],
  ])('is not created with %j', async (values, field, code) => {
    await expect(share(values)).rejects.toMatchObject(invalid(field, code));
    expect(await listShares(here, acme)).toEqual([]);
  });

  test('is not created for photos in the trash, or of another customer', async () => {
    const [own, stranger] = [await add(), await Account.open(here)];
    const foreign = await add('b.jpg', stranger);
    await trashPhoto(here, account.caller, own);
    for (const id of [own, foreign]) {
      await expect(share({ photoIds: [id] })).rejects.toMatchObject(invalid('photoIds', 'conflict'));
    }
    const { tag } = await createTag(here, stranger.caller, { name: 'Theirs' });
    await expect(share({ tagId: tag.id })).rejects.toMatchObject(invalid('tagId', 'unknown_tag'));
  });

  test(`is one of at most ${MAX_SHARES}`, async () => {
    const photoIds = [await add()];
    const created = await share({ photoIds });
    for (let count = 1; count < MAX_SHARES; count += 1) await share({ photoIds });
    await expect(share({ photoIds })).rejects.toMatchObject({ code: 'limit_reached', details: { limit: MAX_SHARES } });
    await revokeShare(here, operatorFor(acme), created.id);
    await share({ photoIds });
  });

  test('is edited with immediate effect, while link and photos stay', async () => {
    const { link, ...before } = await share();
    const settings = { title: 'Rome', mayDownload: true, expiresAt: tomorrow() };
    expect(await editShare(here, operatorFor(acme), before.id, settings)).toEqual({ ...before, ...settings });
    expect(await openShare(here, link)).toEqual({ ...before, ...settings });
    await editShare(here, operatorFor(acme), before.id, {});
    await expect(editShare(here, operatorFor(acme), before.id, { title: '' })).rejects.toMatchObject(
      invalid('title', 'too_short'),
    );
    expect((await entries()).at(-1)).toEqual(['share.edited', before.id, 'Rome', 'title', 'mayDownload', 'expiresAt']);
  });

  test('shows nothing from the moment it is revoked, which is in the audit log', async () => {
    const { link, id } = await share();
    await revokeShare(here, operatorFor(acme), id);
    await expect(openShare(here, link)).rejects.toMatchObject(closed);
    await expect(revokeShare(here, operatorFor(acme), id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await entries()).toEqual([
      ['share.created', id, 'Paris'],
      ['share.revoked', id, 'Paris'],
    ]);
  });

  test('ends when it expires', async () => {
    const { link, expiresAt } = await share({ expiresAt: tomorrow() });
    here.clock.pass(present(expiresAt).getTime() - here.clock.now().getTime() - 1);
    await openShare(here, link);
    here.clock.pass(1);
    await expect(openShare(here, link)).rejects.toMatchObject(closed);
  });

  test('shows nothing while its customer is suspended, and never again once that is closed', async () => {
    const { link } = await share();
    await suspendCustomer(here, commandLine, acme);
    await expect(openShare(here, link)).rejects.toMatchObject(closed);
    await resumeCustomer(here, commandLine, acme);
    await openShare(here, link);
    await closeCustomer(here, commandLine, acme);
    await expect(openShare(here, link)).rejects.toMatchObject(closed);
  });

  test.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}=`, '../'.repeat(14).padEnd(43, 'x')])(
    'is not looked up for the malformed token %j',
    async (token) => {
      const refusing = { find: () => Promise.reject(new Error('looked')) };
      await expect(openShare({ ...here, shares: refusing }, token)).rejects.toMatchObject(closed);
    },
  );

  test('of another customer can neither be read, edited nor revoked', async () => {
    const { link, id } = await share();
    const { customerId: other } = (await Account.open(here)).caller;
    await expect(readShare(here, other, id)).rejects.toMatchObject({ code: 'not_found' });
    const missing = { code: 'not_found' };
    await expect(editShare(here, operatorFor(other), id, { title: 'Mine' })).rejects.toMatchObject(missing);
    await expect(revokeShare(here, operatorFor(other), id)).rejects.toMatchObject(missing);
    expect((await openShare(here, link)).title).toBe('Paris');
  });

  test('counts its visits, also those that came before a later one was stored', async () => {
    const { id, link } = await share();
    const [early, late] = [here.clock.now(), tomorrow()];
    const visits = { customerId: acme, shareId: id };
    await recordVisits(here, { ...visits, count: 2, lastAt: late });
    await recordVisits(here, { ...visits, count: 1, lastAt: early });
    expect(await openShare(here, link)).toMatchObject({ visits: 3, lastVisitedAt: late });
    await revokeShare(here, operatorFor(acme), id);
    await recordVisits(here, { ...visits, count: 1, lastAt: late });
    expect(await listShares(here, acme)).toEqual([]);
  });

  test('is encrypted anew by the worker when SECRET_KEY gets a new first secret, so that the old one can be removed', async () => {
    const { id, link, token } = await share();
    const newest = 'another secret that is long enough too';
    const added: World = { ...here, secrets: [newest, here.secrets[0]] };
    for (const task of upkeep(added, [shareTokens])) await task.run(new AbortController().signal);
    const sealed = (await readShare(here, acme, id)).share.token;
    expect(sealed).not.toBe(token);
    await resealSecrets(added, [shareTokens]);
    expect((await readShare(added, acme, id)).share.token).toBe(sealed);
    const alone: World = { ...here, secrets: [newest] };
    expect(await readShare(alone, acme, id)).toMatchObject({ token: link });
    // The link itself needs no secret.
    const lost: World = { ...here, secrets: ['a wholly different secret of 32 chars'] };
    expect(await readShare(lost, acme, id)).toMatchObject({ token: null });
    expect((await openShare(lost, link)).id).toBe(id);
  });
});

describe('the password of a share', () => {
  const password = 'seven sailors';
  const enter = (
    of: Awaited<ReturnType<typeof share>>,
    given: string,
    address = '203.0.113.9',
    earlier: string | null = null,
  ) => enterShare(here, of, { password: given, address, pass: earlier });

  test('admits a visitor who enters it, for a while', async () => {
    const created = await share({ password });
    expect(created.passwordHash).not.toContain(password);
    expect(isAdmitted(here, created, null)).toBe(false);
    const pass = await enter(created, password);
    expect(isAdmitted(here, created, pass)).toBe(true);
    const forged = `${pass.slice(0, -2)}${pass.endsWith('xx') ? 'yy' : 'xx'}`;
    expect(isAdmitted(here, created, forged)).toBe(false);
    here.clock.pass(PASS_HOURS * HOUR);
    expect(isAdmitted(here, created, pass)).toBe(false);
  });

  test('is refused when it is easy to guess, or is the title', async () => {
    const easy = { code: 'invalid_request', message: expect.stringContaining('too easy to guess') };
    await expect(share({ password: 'password12345' })).rejects.toMatchObject(easy);
    await expect(share({ title: 'Paris in May', password: 'paris in may' })).rejects.toMatchObject(easy);
    const created = await share({ password });
    const edit = (to: string) => editShare(here, operatorFor(acme), created.id, { password: to });
    await expect(edit('password12345')).rejects.toMatchObject(easy);
    expect((await readShare(here, acme, created.id)).share.passwordHash).toBe(created.passwordHash);
  });

  test('admits to its own share alone, and no longer once it was changed', async () => {
    const photoIds = [await add()];
    const [one, other] = [await share({ password, photoIds }), await share({ password, photoIds })];
    const pass = await enter(one, password);
    expect(isAdmitted(here, other, pass)).toBe(false);
    const edited = await editShare(here, operatorFor(acme), one.id, { password: 'eight sailors' });
    expect(isAdmitted(here, edited, pass)).toBe(false);
    const open = await editShare(here, operatorFor(acme), one.id, { password: null });
    expect(isAdmitted(here, open, null)).toBe(true);
    expect((await entries()).at(-1)).toEqual(['share.edited', one.id, 'Paris', 'password']);
  });

  test('can be guessed ten times a minute from one address, and sixty times from all but for the first try of each', async () => {
    const created = await share({ password });
    for (let guess = 0; guess < 10; guess += 1) {
      await expect(enter(created, `wrong ${guess}`)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(enter(created, password)).rejects.toMatchObject({ code: 'rate_limited' });
    for (let guess = 0; guess < 50; guess += 1) {
      await expect(enter(created, 'wrong', `198.51.100.${guess}`)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    expect(isAdmitted(here, created, await enter(created, password, '192.0.2.1'))).toBe(true);
    await expect(enter(created, password, '192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(enter(created, 'wrong', '198.51.100.7')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('can still be entered by a browser that did so before, while others guess, from its address too', async () => {
    const [created, other] = [await share({ password }), await share({ password })];
    const pass = await enter(created, password);
    here.clock.pass(PASS_HOURS * HOUR + DAY);
    for (let guess = 0; guess < 10; guess += 1) {
      await expect(enter(created, 'wrong')).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(enter(created, password)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(enter(created, password, undefined, await enter(other, password))).rejects.toMatchObject({
      code: 'rate_limited',
    });
    for (let guess = 0; guess < 9; guess += 1) {
      await expect(enter(created, 'wrong', undefined, pass)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    expect(isAdmitted(here, created, await enter(created, password, undefined, pass))).toBe(true);
    await expect(enter(created, password, undefined, pass)).rejects.toMatchObject({ code: 'rate_limited' });
    here.clock.pass(KNOWN_DAYS * DAY);
    for (let guess = 0; guess < 10; guess += 1) {
      await expect(enter(created, 'wrong')).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(enter(created, password, undefined, pass)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
