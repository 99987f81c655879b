import type { Scope } from '../../../src/core/access/scope.js';

export interface Endpoint {
  readonly method: string;
  /** As SPEC.md §4 writes it, with ids that no row has. */
  readonly path: string;
  readonly scope: Scope;
  readonly body?: unknown;
}

/** The nineteen endpoints and their scopes (SPEC.md §4). */
export const endpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/me', scope: 'customer:read' },
  { method: 'GET', path: '/customer', scope: 'customer:read' },
  { method: 'GET', path: '/photos', scope: 'photos:read' },
  { method: 'GET', path: '/photos/999999', scope: 'photos:read' },
  { method: 'GET', path: '/photos/999999/download', scope: 'photos:read' },
  { method: 'GET', path: '/photos/999999/tags', scope: 'photos:read' },
  { method: 'PATCH', path: '/photos/999999', scope: 'photos:write', body: {} },
  { method: 'PUT', path: '/photos/999999/tags', scope: 'photos:write', body: { tagIds: [] } },
  { method: 'POST', path: '/imports', scope: 'photos:write', body: {} },
  { method: 'GET', path: '/imports/999999', scope: 'photos:write' },
  { method: 'POST', path: '/imports/999999/finalize', scope: 'photos:write', body: {} },
  {
    method: 'POST',
    path: '/imports/999999/photos',
    scope: 'photos:write',
    body: { photos: [{ filename: 'a.jpg', sizeBytes: 1 }] },
  },
  { method: 'PATCH', path: '/imports/999999/photos/999999', scope: 'photos:write', body: {} },
  { method: 'DELETE', path: '/photos/999999', scope: 'photos:delete' },
  { method: 'GET', path: '/tags', scope: 'tags:read' },
  { method: 'GET', path: '/tags/999999', scope: 'tags:read' },
  { method: 'POST', path: '/tags', scope: 'tags:write', body: { name: 'a tag' } },
  { method: 'PATCH', path: '/tags/999999', scope: 'tags:write', body: {} },
  { method: 'DELETE', path: '/tags/999999', scope: 'tags:write' },
];
