import { type FetchUses, fetchSource } from '../../src/core/imports/fetch/fetch.js';
import type { FetchQueue } from '../../src/core/imports/fetch/source-fetch.js';

/** Makes every try of fetching a file that is due. */
export async function fetchDue(ports: FetchUses & { fetches: FetchQueue }): Promise<void> {
  const nobody = { customerIds: [], hosts: [] };
  for (let next = await ports.fetches.claim(60, nobody); next !== null; next = await ports.fetches.claim(60, nobody)) {
    await fetchSource(ports, next, new AbortController().signal);
  }
}
