// Puts a tag on the best photos that were taken since a day, and downloads the first of them: rated.ts 2020-01-01 FOLDER
import { PhotoService } from 'photo-service-sdk';
import { downloadFile } from 'photo-service-sdk/node';

const [since = '2020-01-01', folder = '.'] = process.argv.slice(2);
const client = new PhotoService({
  baseUrl: process.env['PHOTO_SERVICE_URL'] ?? 'http://127.0.0.1:3000',
  token: process.env['PHOTO_SERVICE_TOKEN'] ?? '',
  onWait: ({ reason, milliseconds }) => console.error(`waiting ${Math.ceil(milliseconds / 1000)} s (${reason})`),
});

// All pages are walked; 100 photos are one read.
const best: number[] = [];
for await (const photo of client.photos.list({ minRating: 4, takenAfter: `${since}T00:00:00Z`, limit: 100 })) {
  best.push(photo.id);
}

const tag = await client.tags.create({ name: 'Best', color: '#ffcc00' }, { ifExists: 'return' });
const changes = await client.tags.attach(tag.id, best);
console.log(`${best.length} photos, ${changes.added} of them new among the best`);

const [first] = best;
if (first !== undefined) {
  // A file of this name is there only when its SHA-256 is that of the original.
  const { path, sha256 } = await downloadFile(client, first, `${folder}/best.jpg`);
  console.log(`${path} ${sha256}`);
}
