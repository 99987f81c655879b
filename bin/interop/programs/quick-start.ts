// The quick start with a client that @hey-api/openapi-ts has generated: a photo is imported, found, tagged and downloaded again.
import { readFileSync } from 'node:fs';

const { CLIENT, PHOTO_SERVICE_URL: baseUrl, PHOTO_SERVICE_TOKEN: auth } = process.env;
const api = await import(`${CLIENT}/index.ts`);
const { client } = await import(`${CLIENT}/client.gen.ts`);
client.setConfig({ baseUrl, auth, throwOnError: true });

const bytes = readFileSync(process.argv[2] ?? '');
const file = new File([bytes], 'rocks.jpg', { type: 'image/jpeg' });
const { data: opened } = await api.createImport({ body: { name: 'Quick start' } });
const path = { id: opened.id };
const registration = { photos: [{ filename: file.name, sizeBytes: file.size }] };
const { data: registered } = await api.addImportPhotos({ path, body: registration });
const { url, headers } = registered.data[0].photo.upload;
const { 'content-length': _, ...others } = headers;
const sent = await fetch(url, { method: 'PUT', headers: others, body: file.slice() });
if (!sent.ok) throw new Error(await sent.text());
const { data: ended } = await api.finalizeImport({ path, headers: { Prefer: 'wait=15' } });
const { data: photos } = await api.listPhotos({ query: { importId: opened.id } });
const [photo] = photos.data;
await api.setPhotoTags({ path: { id: photo.id }, body: { tagNames: ['Quick start'] } });
const { data: original } = await api.downloadPhoto({ path: { id: photo.id }, parseAs: 'blob' });
if (original.size !== bytes.length) throw new Error(`${original.size} bytes of ${bytes.length} came back`);
console.log(`the generated client ran the quick start: ${ended.status}, ${photo.filename}, ${original.size} bytes`);
