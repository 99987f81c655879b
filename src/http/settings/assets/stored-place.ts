// What a tab remembers of a list of photos: how far it was loaded, where its reader was, and what is selected.

/** Photos that were loaded, by id with the class of their shape, under their months. */
export interface StoredSection {
  readonly month: string;
  readonly title: string | null;
  readonly tiles: readonly (readonly [id: string, shape: string])[];
}

export interface StoredPlace {
  readonly sections: readonly StoredSection[];
  /** The address of the next page; null when all are loaded. */
  readonly older: string | null;
  /** The photo at the top of the window, and how far below the edge it was. */
  readonly top: { readonly id: string; readonly offset: number } | null;
}

/** The same for all pages of a list. */
export function listKey({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const query = new URLSearchParams(search);
  query.delete('size');
  query.delete('panel');
  return `${pathname}?${query}`;
}

/** Null when there is none, or when the browser stores nothing. */
export function readStored<Value>(kind: string, key: string): Value | null {
  try {
    const text = sessionStorage.getItem(`${kind} ${key}`);
    return text === null ? null : (JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

export function store(kind: string, key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(`${kind} ${key}`);
    else sessionStorage.setItem(`${kind} ${key}`, JSON.stringify(value));
  } catch {
    // Full, or refused: the page works, and begins at its top.
  }
}
