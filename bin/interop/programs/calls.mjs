// Calls every kind of operation of both APIs by the SDK, through proxies that say in a header what of it is not as the documents have it.
import { ApiError, OperatorClient, PhotoService } from 'photo-service-sdk';
import { importFolder } from 'photo-service-sdk/node';

const { api, operator, token, operatorToken, photos } = JSON.parse(process.env.GIVEN);
const findings = [];
const calls = new Set();

async function fetchAndLook(input, init) {
  const response = await fetch(input, init);
  const found = response.headers.get('sl-violations');
  const { pathname } = new URL(String(input));
  calls.add(`${init.method} ${pathname.replace(/\d[\d,]*/g, '*')}`);
  if (found !== null)
    findings.push({ call: `${init.method} ${pathname}`, status: response.status, found: JSON.parse(found) });
  return response;
}

/** It is refused, as it should be: answers of errors are compared, too. */
async function refused(work) {
  const error = await work.then(
    () => null,
    (reason) => reason,
  );
  if (!(error instanceof ApiError)) throw error ?? new Error('nothing was refused');
}

const client = new PhotoService({ baseUrl: api, token, fetch: fetchAndLook });
await client.me();
await client.customer();
await importFolder(client, photos, { tagNames: ['Flowers'] });
const all = await client.photos.list({ sort: '-createdAt', include: ['urls'] }).toArray();
const some = all.length > 0 ? all : await client.photos.list().toArray();
const [{ id }, ...others] = some;
await client.photos.get(id, { include: ['exif'] });
await client.photos.update(id, { title: 'Rocks', rating: 5, location: { latitude: 59.9, longitude: 10.7 } });
await client.photos.updateMany(
  some.map((each) => each.id),
  { rating: 3 },
);
await client.photos.setTags(id, { tagNames: ['Stones', 'Sea'] });
await client.photos.tags(id);
// The proxy reads bodies as text, so the bytes are not those of the photo.
await (await client.photos.download(id)).stream.cancel();
await (await client.photos.download(id, { rendition: 'thumb' })).stream.cancel();
await client.photos.delete(others[0].id);
await client.photos.restore(others[0].id);
await refused(client.photos.get(1_000_000));
const tag = await client.tags.create({ name: 'Paris', color: '#3366ff' });
await client.tags.createMany([{ name: 'Oslo' }, { name: 'Rome' }]);
await client.tags.list({ q: 'par' }).toArray();
await client.tags.get(tag.id);
await client.tags.update(tag.id, { addPhotoIds: [id] });
await refused(client.tags.create({ name: 'Paris' }));
await client.tags.delete(tag.id);
const opened = await client.imports.create({ name: 'By hand' });
await client.imports.register(opened.id, [{ filename: 'a.jpg', sizeBytes: 10 }]);
const [item] = await client.imports.photos(opened.id).toArray();
await client.imports.updatePhoto(opened.id, item.id, { title: 'Later' });
await client.imports.get(opened.id);
await client.imports.finalize(opened.id, { missingUploads: 'fail', wait: 5 });

const administration = new OperatorClient({ baseUrl: operator, token: operatorToken, fetch: fetchAndLook });
const customer = await administration.createCustomer({ name: 'Studio' });
await administration.customers().toArray();
await administration.updateCustomer(customer.id, { photosLimit: 10 });
const key = await administration.createKey(customer.id, { name: 'app', scopes: ['photos:read'] });
await administration.updateKey(customer.id, key.id, { readLimit: 100 });
await administration.keys(customer.id);
await administration.deleteKey(customer.id, key.id);
const { person } = await administration.invite(customer.id, { email: 'anna@example.com', role: 'viewer' });
await administration.people(customer.id);
await administration.removePerson(customer.id, person.id);
const hook = await administration.createWebhook(customer.id, { url: 'https://192.0.2.1/hooks' }).catch(() => null);
if (hook !== null) await administration.deleteWebhook(customer.id, hook.id);
await administration.webhooks(customer.id);
await administration.usage(customer.id);
await administration.usageCsv(customer.id);
await administration.suspendCustomer(customer.id);
await administration.resumeCustomer(customer.id);
await refused(administration.customer(1_000_000));
await administration.eraseCustomer(customer.id, 'Studio');

console.log(`${calls.size} kinds of calls, ${findings.length} findings`);
if (findings.length > 0) {
  console.error(JSON.stringify(findings, null, 2));
  process.exitCode = 1;
}
