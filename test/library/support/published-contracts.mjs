import {
  brokenPictureBytes,
  contracts,
  MemoryBlobStore,
  MemoryCustomerStore,
  MemoryDirectUploads,
  MemoryGazetteer,
  MemoryIdentityProvider,
  MemoryIpCountries,
  MemoryMailer,
  MemoryMediaReader,
  MemoryRateWindowStore,
  MemorySourceReader,
  MemoryWebhookSender,
  memoryPorts,
  pictureBytes,
  pictureIn,
  SettableClock,
} from 'photo-service/testing';

// Runs published contracts on the published adapters, by the globals of the runner, or else by node:test.
const functions = globalThis.describe ? globalThis : await nodeTest();
const all = contracts(functions);
const close = async () => undefined;

async function nodeTest() {
  const { before, after, ...others } = await import('node:test');
  return { ...others, beforeAll: before, afterAll: after };
}

function open() {
  const ports = memoryPorts();
  const { clock, database } = ports;
  // The contracts lock rows in any order.
  const store = new MemoryCustomerStore(database, clock, 'any');
  return {
    ...ports,
    store,
    close,
    now: async () => clock.now().getTime(),
    passTime: async (seconds) => clock.pass(seconds * 1000),
    setStatus: (id, status) => store.change(id, { status }),
    deadReason: async ({ id }) => database.jobs.where((job) => job.id === id)[0]?.deadReason ?? null,
  };
}

all.blobStoreContract('memory', async () => ({ store: new MemoryBlobStore(), close }));
all.customerStoreContract('memory', async () => open());
functions.describe('tags of many photos', () => all.bulkTagsContract(async () => open()));
functions.describe('deleted tags with photos', () => all.tombstonesContract(async () => open()));
functions.describe('transactions', () => all.transactionsContract(async () => open()));
for (const name of [
  'customerDirectory',
  'keys',
  'operatorTokenStore',
  'deliveryKeyFinder',
  'shareFinder',
  'jobQueue',
]) {
  all[`${name}Contract`]('memory', async () => open());
}
for (const name of ['limits', 'sourceFetches', 'webhooks', 'users', 'traces']) {
  all[`${name}Contract`]('memory', async () => open());
}
functions.describe('places', () => all.gazetteerContract(async () => new MemoryGazetteer()));
functions.describe('countries of addresses', () => all.ipCountriesContract(() => new MemoryIpCountries()));

all.rateWindowStoreContract('memory', async () => {
  const { clock, passTime, now } = open();
  const store = new MemoryRateWindowStore(clock);
  return { store, passTime, now, remembered: async () => store.size, close };
});

all.directUploadsContract('memory', async () => {
  const clock = new SettableClock();
  const blobs = new MemoryBlobStore(clock);
  const uploads = new MemoryDirectUploads(blobs, clock);
  const send = (url, headers, bytes) => uploads.put(url, headers, bytes);
  return { uploads, blobs, send, tryAs: async () => false, wait: async (seconds) => clock.pass(seconds * 1000), close };
});

all.mailerContract('memory', async () => {
  const mailer = new MemoryMailer();
  const results = { all: 'sent', 'never this mail': 'refused', 'none now': 'away' };
  return {
    mailer,
    takes: (how) => Object.assign(mailer, { result: results[how] }),
    delivered: () => mailer.sent.map(({ id, mail }) => ({ id, to: mail.to.address })),
    close,
  };
});

all.identityProviderContract('memory', async () => {
  const provider = new MemoryIdentityProvider();
  return {
    provider,
    signIn: async (address, subject, email) => provider.signIn(address, { subject, email, isEmailVerified: true }),
    setAway: async (isAway) => Object.assign(provider, { isAway }),
    close,
  };
});

all.webhookSenderContract('memory', async () => {
  const sender = new MemoryWebhookSender();
  const answer = (status) => () => {
    if (status === null) throw new Error('cut');
    return status;
  };
  return {
    sender,
    url: 'https://example.com/hooks',
    answers: (status, _, body = null) => Object.assign(sender, { answerBody: body, answer: answer(status) }),
    received: () => sender.sent.map(({ headers, body }) => ({ headers, body })),
    close,
  };
});

all.sourceReaderContract('memory', async () => {
  const reader = new MemorySourceReader();
  const url = 'https://example.com/a.jpg';
  const place = ({ bytes, etag: validator = '"1"', ...more }) => {
    reader.sources.set(url, { bytes, validator, ...more });
    return url;
  };
  return { reader, place, nowhere: 'https://example.com/nothing', close };
});

all.mediaReaderContract('memory', async () => ({
  reader: new MemoryMediaReader(),
  samples: {
    sound: { bytes: pictureBytes({ width: 950, height: 634 }), contentType: 'image/jpeg', width: 950, height: 634 },
    wordy: pictureBytes({ width: 20, height: 20, title: 'é'.repeat(300), description: 'é'.repeat(10_001) }),
    transparent: pictureBytes({ width: 200, height: 150, alpha: true, contentType: 'image/png' }),
    text: new TextEncoder().encode('not a picture at all, though long enough to be one'),
    broken: brokenPictureBytes(),
    unsupported: pictureBytes({ width: 4, height: 4, contentType: 'image/jxl' }),
  },
  sizeOf: async (bytes) => {
    const { width = 0, height = 0 } = pictureIn(bytes) ?? {};
    return { width, height };
  },
  close,
}));
