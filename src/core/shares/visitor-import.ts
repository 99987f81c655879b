import type { Caller } from '../access/caller.js';
import { scopes } from '../access/scope.js';
import { service } from '../audit/actor.js';
import type { ImportCreation } from '../imports/import-creation.js';
import { truncate } from '../shared/text.js';
import { MAX_TAG_NAME } from '../tags/tag.js';
import type { Share } from './share.js';

/** Visitors upload in the name of the service. */
export function visitorCaller({ customerId }: Share, address: string): Caller {
  return { customerId, apiKeyId: null, scopes, ipRestricted: false, actor: { ...service, address } };
}

/** An import of what visitors upload, with a tag of its own. It brings nothing back from the trash. */
export function visitorImport({ id, title }: Share): ImportCreation {
  const name = `Visitors of “${title}”`;
  const tag = truncate(`Share ${id}: ${title}`, MAX_TAG_NAME);
  return { name, source: 'Share', tagNames: [tag], restoreTrashed: false, shareId: id };
}
