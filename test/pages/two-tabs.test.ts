import { listKeys } from '../../src/core/access/keys.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createDeliveryKey, readDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { savePreset } from '../../src/core/delivery/preset.js';
import { createShare, readShare } from '../../src/core/shares/own-shares.js';
import { createWebhookEndpoint, readWebhookEndpoint } from '../../src/core/webhooks/endpoints.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;

/** Called before each transaction begins. */
let beforeTransaction: () => Promise<unknown>;

beforeEach(async () => {
  beforeTransaction = async () => undefined;
  app = await startApp({
    ports: ({ store }) => ({
      store: {
        query: (customerId, work) => store.query(customerId, work),
        transaction: async (customerId, work) => {
          await beforeTransaction();
          return store.transaction(customerId, work);
        },
      },
    }),
  });
  actor = await app.customer();
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId);
});
afterEach(() => app.close());

interface Subject {
  readonly page: string;
  readonly action?: string;
  /** What the resource has by now. */
  readonly read: () => Promise<unknown>;
}

const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  'the details of a photo': async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    const path = `/photos/${photo.id}`;
    await actor.patch(path, {
      title: 'Old',
      description: 'Two\nlines',
      rating: 2,
      takenAtLocal: '2024-07-01T12:00:00.500',
      timeZone: 'Europe/Paris',
    });
    return {
      page: `/settings${path}`,
      read: async () => {
        const { title, description, rating, takenAtLocal, timeZone } = (await actor.get(path)).body;
        return { title, description, rating, takenAtLocal, timeZone };
      },
    };
  },
  'a tag': async () => {
    const { id } = (await actor.post('/tags', { name: 'Old', description: 'Two\nlines', color: '#123456' })).body;
    return {
      page: `/settings/tags/${id}`,
      read: async () => {
        const { name, description, color } = (await actor.get(`/tags/${id}`)).body;
        return { name, description, color };
      },
    };
  },
  'a key': async () => {
    const { id } = (await actor.get('/me')).body.apiKey;
    return {
      page: `/settings/keys/${id}`,
      read: async () => {
        const key = (await listKeys(app.ports, actor.customerId)).find((each) => each.id === id);
        return { name: key?.name, ipList: key?.ipList, readLimit: key?.readLimit };
      },
    };
  },
  'a webhook endpoint': async () => {
    const caller = operatorFor(actor.customerId);
    const input = { url: 'https://example.com/hook', description: 'Old', events: ['tag.created', 'tag.deleted'] };
    const { id } = (await createWebhookEndpoint(app.ports, caller, input)).endpoint;
    return {
      page: `/settings/webhooks/${id}/edit`,
      read: async () => {
        const { url, description, events } = await readWebhookEndpoint(app.ports, actor.customerId, id);
        return { url, description, events };
      },
    };
  },
  'a share': async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'b.jpg', content: picture('b') }]);
    const settings = { title: 'Old', mayDownload: false, expiresAt: null, password: null, photoIds: [photo.id] };
    const limits = { uploadFilesLimit: 5, uploadBytesLimit: 1_000_000 };
    const { share } = await createShare(app.ports, operatorFor(actor.customerId), { ...settings, ...limits });
    return {
      page: `/settings/shares/${share.id}`,
      read: async () => {
        const { title, mayDownload, uploadFilesLimit } = (await readShare(app.ports, actor.customerId, share.id)).share;
        return { title, mayDownload, uploadFilesLimit };
      },
    };
  },
  'a delivery key': async () => {
    const { key } = await createDeliveryKey(app.ports, operatorFor(actor.customerId), {
      name: 'Old',
      presetsOnly: true,
      expiresAt: null,
    });
    return {
      page: `/settings/delivery/keys/${key.id}/edit`,
      read: async () => {
        const { name, presetsOnly, expiresAt } = await readDeliveryKey(app.ports, actor.customerId, key.id);
        return { name, presetsOnly, expiresAt };
      },
    };
  },
  'the account': async () => ({
    page: '/settings/account',
    read: async () => {
      const { name, defaultTimeZone, trashRetentionDays } = (await actor.get('/customer')).body;
      return { name, defaultTimeZone, trashRetentionDays };
    },
  }),
};

/** Of each form: a field that one tab changes, one that the other does, and the same one changed by both. */
const edits: Readonly<Record<string, { one: Fields; other: Fields; both: string }>> = {
  'the details of a photo': { one: { rating: '4' }, other: { title: 'New' }, both: 'title' },
  'a tag': { one: { color: '#d64545' }, other: { name: 'New' }, both: 'name' },
  'a key': { one: { readLimit: '100' }, other: { name: 'New' }, both: 'name' },
  'a webhook endpoint': { one: { url: 'https://example.com/new' }, other: { description: 'New' }, both: 'description' },
  'a share': { one: { uploadFiles: '7' }, other: { title: 'New' }, both: 'title' },
  'a delivery key': { one: { expiresOn: '2100-01-31' }, other: { name: 'New' }, both: 'name' },
  'the account': { one: { timeZone: 'Europe/Paris' }, other: { name: 'New' }, both: 'name' },
};

describe.each(Object.keys(subjects))('the form of %s', (name) => {
  const { one, other, both } = edits[name] as (typeof edits)[string];
  let subject: Subject;
  beforeEach(async () => {
    subject = await (subjects[name] as () => Promise<Subject>)();
  });
  const open = () => browser.open(subject.page, subject.action ?? subject.page);
  const save = (fields: Fields) => browser.post(subject.action ?? subject.page, fields);

  test('changes nothing when it is saved as it was opened', async () => {
    const before = await subject.read();
    expect((await save(await open())).status).toBe(303);
    expect(await subject.read()).toEqual(before);
  });

  test('keeps what another tab has saved since it was opened', async () => {
    const before = await subject.read();
    const [first, second] = [await open(), await open()];
    expect((await save({ ...first, ...one })).status).toBe(303);
    const withOne = await subject.read();
    expect(withOne).not.toEqual(before);
    expect((await save({ ...second, ...other })).status).toBe(303);
    const [value] = Object.values(other);
    expect(await subject.read()).toEqual({ ...(withOne as object), [both]: value });
  });

  test('shows what another tab has made of the same field beside its own, and replaces it when saved again', async () => {
    const [first, second] = [await open(), await open()];
    await save({ ...first, [both]: 'Theirs' });
    const refused = await save({ ...second, ...one, [both]: 'Mine' });
    expect([refused.status, await subject.read()]).toEqual([400, expect.objectContaining({ [both]: 'Theirs' })]);
    expect(refused.text).toContain('This was changed to “Theirs” while you edited it.');
    expect(refused.text).toContain('value="Mine"');
    const again = browser.fieldsOn(refused.text, subject.action ?? subject.page);
    expect((await save(again)).status).toBe(303);
    expect(await subject.read()).toEqual(expect.objectContaining({ [both]: 'Mine' }));
  });

  test('refuses one of two tabs that save the same field at the same moment', async () => {
    const tab = await open();
    const values = ['https://example.com/one', 'https://example.com/two'];
    await expectOneRefused(values.map((value) => () => save({ ...tab, [both]: value })));
  });
});

/** Both have read the resource before either changes it. */
async function expectOneRefused(saves: readonly (() => ReturnType<BrowserClient['post']>)[]): Promise<void> {
  const waiting: (() => void)[] = [];
  beforeTransaction = () =>
    new Promise<void>((begin) => {
      waiting.push(begin);
      if (waiting.length >= saves.length) for (const each of waiting) each();
    });
  const answers = await Promise.all(saves.map((save) => save()));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
  expect(answers.find(({ status }) => status === 400)?.text).toContain('while you edited it.');
  beforeTransaction = async () => undefined;
}

test('forms of one field keep and show what another tab has saved, too, at the same moment as well', async () => {
  const caller = operatorFor(actor.customerId);
  await savePreset(app.ports, caller, { name: 'card', options: 'w=100' });
  const [photo] = await importPhotos(app, actor, [{ filename: 'c.jpg', content: picture('c') }]);
  const preset = '/settings/delivery/presets/card/edit';
  const addresses = '/settings/account/people/addresses';
  const forms = [
    { page: preset, action: preset, field: 'options', theirs: 'w=200', mine: 'w=300', others: 'w=400' },
    {
      page: addresses,
      action: addresses,
      field: 'ipList',
      theirs: '127.0.0.0/8',
      mine: '127.0.0.0/16',
      others: '127.0.0.0/24',
    },
    {
      page: `/settings/photos/${photo.id}`,
      action: `/settings/photos/${photo.id}/location`,
      field: 'location',
      theirs: '48.8584, 2.2945',
      mine: '10, 20',
      // Of two that are saved at the same moment the second replaces the first, and the history can undo it.
      others: null,
    },
  ];
  for (const { page, action, field, theirs, mine, others } of forms) {
    const [first, second] = [await browser.open(page, action), await browser.open(page, action)];
    expect((await browser.post(action, { ...first, [field]: theirs })).status).toBe(303);
    expect((await browser.post(action, second)).status).toBe(303);
    expect((await browser.open(page, action))[field]).toBe(theirs);
    const refused = await browser.post(action, { ...second, [field]: mine });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`changed to “${theirs}”`)]);
    const again = browser.fieldsOn(refused.text, action);
    expect(again[field]).toBe(mine);
    expect((await browser.post(action, again)).status).toBe(303);
    const last = await browser.open(page, action);
    expect(last[field]).toBe(mine);
    if (others === null) continue;
    // A form that changes nothing is saved, and another tab saves before its transaction begins, if it has one: what that tab saves stays.
    let now = mine;
    beforeTransaction = async () => {
      beforeTransaction = async () => undefined;
      now = others;
      expect((await browser.post(action, { ...last, [field]: others })).status).toBe(303);
    };
    expect((await browser.post(action, last)).status).toBe(303);
    beforeTransaction = async () => undefined;
    const after = await browser.open(page, action);
    expect(after[field]).toBe(now);
    await expectOneRefused([theirs, others].map((value) => () => browser.post(action, { ...after, [field]: value })));
  }
});
