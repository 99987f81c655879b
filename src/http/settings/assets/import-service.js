// What the service is asked for an import. Its answers are those of the API.

/** An answer that is an error: `code` and what it says to people. */
export class Refused extends Error {
  constructor(status, { code = 'unreachable', message = 'The service cannot be reached.', details } = {}) {
    super(status === 401 ? 'You are signed out. Sign in again in another tab, then continue here.' : message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  /** Whether the same may go well a little later. */
  get mayPass() {
    return this.status === 0 || this.status === 401 || this.status === 429 || this.status >= 500;
  }
}

export const service = {
  /** A new import. */
  begin: (clientRef, tagNames) => ask('/settings/import/begin', { clientRef, tagNames }),
  /** Announces files; `throughService` asks for addresses here, where those of the store cannot be reached. */
  register: (importId, photos, throughService) =>
    ask(`/settings/import/${importId}/photos${throughService ? '?through=service' : ''}`, { photos }),
  /** The store has the bytes: they may be looked at. */
  arrived: (importId, itemId) => ask(`/settings/import/${importId}/photos/${itemId}/arrived`, {}),
  finish: (importId, missingUploads) => ask(`/settings/import/${importId}/finish`, { missingUploads }),
  /** The import, with items that failed. */
  state: (importId) => ask(`/settings/imports/${importId}/state`),
};

async function ask(path, body) {
  const token = document.querySelector('meta[name="csrf-token"]').content;
  const headers = { Accept: 'application/json', 'X-CSRF-Token': token };
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(path, { ...sent, headers: { ...headers, 'Content-Type': 'application/json' } }).catch(
    () => null,
  );
  if (answer === null) throw new Refused(0);
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said.error);
  return said;
}
