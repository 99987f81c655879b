import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PhotoService } from '../../../sdk/src/entry.js';
import type { Installation } from '../../e2e/support/service.js';

/** Every kind of page that people and visitors see, so that none can be out of the reach of links. */
export const pages = [
  '/s/*',
  '/s/*/photos/*',
  '/s/*?locked',
  '/settings/account',
  '/settings/account/erase',
  '/settings/account/factors',
  '/settings/account/factors/*/remove',
  '/settings/account/people',
  '/settings/account/people/*/remove',
  '/settings/account/people/addresses',
  '/settings/audit',
  '/settings/delivery',
  '/settings/delivery/keys/*/delete',
  '/settings/delivery/keys/*/edit',
  '/settings/delivery/keys/new',
  '/settings/delivery/presets/card/delete',
  '/settings/delivery/presets/card/edit',
  '/settings/delivery/presets/new',
  '/settings/history',
  '/settings/import',
  '/settings/imports',
  '/settings/imports/*',
  '/settings/imports/*/discard',
  '/settings/keys',
  '/settings/keys/*',
  '/settings/keys/*/delete',
  '/settings/keys/new',
  '/settings/library',
  '/settings/library?view=trash',
  '/settings/map',
  '/settings/photos/*',
  '/settings/photos/*/delete?view=trash',
  '/settings/photos/*?view=trash',
  '/settings/shares',
  '/settings/shares/*',
  '/settings/shares/*/revoke',
  '/settings/shares/new',
  '/settings/sign-in',
  '/settings/similar',
  '/settings/tags',
  '/settings/tags/*',
  '/settings/tags/*/delete',
  '/settings/tags/merge',
  '/settings/tags/new',
  '/settings/usage',
  '/settings/webhooks',
  '/settings/webhooks/*',
  '/settings/webhooks/*/delete',
  '/settings/webhooks/*/deliveries/*',
  '/settings/webhooks/*/edit',
  '/settings/webhooks/*/secret',
  '/settings/webhooks/new',
].sort();

/** Pages by what they are, whichever thing they are about. */
export const kindOf = (path: string) =>
  path
    .replace(/\?(?!view=trash|locked).*/, '')
    .replace(/&(size|panel)=.*/, '')
    .replace(/^\/s\/[^/?]+/, '/s/*')
    .replace(/[0-9]+/g, '*');

/** The time for a walk through every page on a busy machine; otherwise each takes a second or two. */
export const WALK_MS = 600_000;

/** What leads to further pages. */
export const LINKS = 'a[href^="/settings"]:not([download])';

interface Visitor {
  open(path: string): Promise<void>;
  /** The addresses of `LINKS`, as the page has them. */
  links(): Promise<readonly string[]>;
}

/** Every page that links lead to, one of each kind, beginning with these. */
export async function everyPage(
  visitor: Visitor,
  first: readonly string[],
  look: (path: string) => Promise<void>,
): Promise<readonly string[]> {
  const waiting = [...first];
  const known = new Set(waiting.map(kindOf));
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    await visitor.open(path);
    await look(path);
    for (const link of (await visitor.links()).map((each) => each.replace(/#.*/, ''))) {
      if (known.has(kindOf(link)) || /rendition/.test(link)) continue;
      known.add(kindOf(link));
      waiting.push(link);
    }
  }
  return [...known].sort();
}

/** Pages that lead to all others, with what these are about. A webhook, a preset, a second factor and a photo in the trash are there already. */
export async function firstPages(installation: Installation, client: PhotoService): Promise<readonly string[]> {
  const other = await client.tags.create({ name: 'Mountains' });
  const begun = await client.imports.create({ name: 'Broken off' });
  await client.imports.register(begun.id, [{ filename: 'a.jpg', sizeBytes: 9 }]);
  const ids: number[] = [];
  for await (const { id } of client.photos.list({ sort: 'filename' })) ids.push(id);
  const shared = await newShare(installation, 'Bring yours', ids, '--download', '--upload-files', '9');
  const password = join(installation.dataDir, 'password');
  writeFileSync(password, 'hush hush hush');
  const locked = await newShare(installation, 'Locked', ids, '--password-file', password);
  return [
    '/settings/library',
    `/settings/tags/merge?id=1&id=${other.id}`,
    ...[shared, `${shared}/photos/${ids[0]}`, `${locked}?locked`],
  ];
}

/** The path of a new share. */
async function newShare(
  installation: Installation,
  title: string,
  ids: readonly number[],
  ...options: string[]
): Promise<string> {
  const what = ['--customer', '1', '--title', title, '--photos', ids.join()];
  const { stdout } = await installation.operate('share', 'create', ...what, ...options, '--json');
  return new URL(JSON.parse(stdout).url).pathname;
}
