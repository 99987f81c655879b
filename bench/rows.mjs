// What clients ask for most, each beside a bare server that does as little as can be for the same answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyed } from './load.mjs';

/** Names, targets, and what each is compared with. `paths` are those of one photo; its thumb is copied into `folder` for `res.sendFile`. */
export async function readRows(service, references, paths, folder) {
  const page = await references.start('express-pg.mjs', [], '/page');
  const row = { ...page, url: page.url.replace('/page', `/row/${paths.photo.split('/').at(-1)}`) };
  const thumb = join(folder, 'thumb.jpg');
  writeFileSync(thumb, Buffer.from(await (await fetch(service.url + paths.thumb)).arrayBuffer()));
  const sent = await references.start('send-file.mjs', [thumb], '/');
  return [
    ['GET /photos?limit=50', keyed(service, '/api/v1/photos?limit=50'), page],
    ['GET /photos/{id}', keyed(service, paths.photo), row],
    ['GET /me', keyed(service, '/api/v1/me'), row],
    ['thumb through the API', keyed(service, `${paths.photo}/download?rendition=thumb`), sent],
    ['thumb by a signed URL', { ...service, url: service.url + paths.thumb }, sent],
  ];
}
