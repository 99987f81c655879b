import type { Uses } from '../../../core/ports.js';

/** Identifies imports that people began here. */
export const SOURCE = 'Settings area';

/** Origins that a page with an importer must be able to reach: the store, if browsers send to it. */
export async function importerReach({ directUploads }: Uses<'directUploads'>): Promise<readonly string[]> {
  return directUploads === null ? [] : [await directUploads.origin()];
}

/** Names of tags, separated by commas. */
export function tagNamesIn(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
