// Selects every photo that matches, also those that are not loaded.

import type { PhotoSelection } from './photo-selection.js';

/** More would not fit into what a tab may store. */
const MOST = 100_000;

export class SelectAll {
  private running: AbortController | null = null;

  /** @param say Shows how far it is. */
  constructor(
    private readonly selection: PhotoSelection,
    private readonly query: URLSearchParams,
    private readonly say: (text: string) => void,
  ) {}

  cancel(): void {
    this.running?.abort();
    this.running = null;
  }

  async run(): Promise<void> {
    this.cancel();
    this.selection.selectAll();
    const running = new AbortController();
    this.running = running;
    try {
      await this.addAll(running.signal);
    } catch {
      if (!running.signal.aborted) this.say('Not all photos could be selected. Try again.');
    }
  }

  private async addAll(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams(this.query);
    for (let cursor: string | null = ''; cursor !== null; ) {
      query.set('cursor', cursor);
      const answer = await fetch(`/settings/library/ids?${query}`, { headers: { Accept: 'application/json' }, signal });
      if (!answer.ok || answer.redirected) throw new Error(`the list of photos answered ${answer.status}`);
      const part = (await answer.json()) as { ids: readonly string[]; nextCursor: string | null };
      this.selection.add(part.ids);
      cursor = part.nextCursor;
      if (cursor !== null && this.selection.all.length >= MOST) {
        this.say(`Only the first ${MOST} photos are selected.`);
        return;
      }
    }
  }
}
