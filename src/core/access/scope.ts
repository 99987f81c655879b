/** What a key may do. Scopes never change after the key was created. */
export const scopeMeanings = {
  'customer:read': 'read the account, its limits and the key itself',
  'photos:read': 'list, read and download photos',
  'photos:write': 'import and change photos',
  'photos:delete': 'delete photos',
  'tags:read': 'list and read tags',
  'tags:write': 'create, change and delete tags',
} as const;
export type Scope = keyof typeof scopeMeanings;

export const scopes = Object.keys(scopeMeanings) as readonly Scope[];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
