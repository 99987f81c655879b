import type { Uses } from '../../../core/ports.js';

/** By which imports that people began here are known. */
export const SOURCE = 'Settings area';

/** Origins that a page with an importer must be let reach: the store, where browsers send to it. */
export async function importerReach({ directUploads }: Uses<'directUploads'>): Promise<readonly string[]> {
  return directUploads === null ? [] : [await directUploads.origin()];
}

/** Names of tags with commas between them. */
export function tagNamesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
