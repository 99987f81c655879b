/** SPEC.md §5: what a key may do. Scopes never change after the key was created. */
export const scopes = [
  'customer:read',
  'photos:read',
  'photos:write',
  'photos:delete',
  'tags:read',
  'tags:write',
] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
