// Selects every photo that matches, also those that are not loaded.

import type { PhotoSelection } from './photo-selection.js';
import { publicPath } from './public-path.js';

/** Of so many photos the ids are fetched, so that one of them can be left out again. More are only known by their number. */
const MOST = 10_000;

export class SelectAll {
  private running: AbortController | null = null;
  private total: number | null = null;

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

  /** Writes on the button how many photos it selects. */
  async nameButton(button: HTMLButtonElement): Promise<void> {
    if (this.total !== null) return;
    // While the number is being counted, nobody else asks for it.
    this.total = -1;
    const total = await this.count().catch(() => null);
    this.total = total;
    if (total !== null) button.textContent = `Select all ${total.toLocaleString()}`;
  }

  async run(): Promise<void> {
    this.cancel();
    this.selection.selectAll();
    const running = new AbortController();
    this.running = running;
    try {
      const total = await this.count(running.signal);
      if (total <= MOST) await this.addAll(running.signal);
      if (!running.signal.aborted) this.selection.markAll(total);
    } catch {
      if (!running.signal.aborted) this.say('Not all photos could be selected. Try again.');
    }
  }

  private async count(signal?: AbortSignal): Promise<number> {
    return (await this.fetch<{ count: number }>('count', this.query, signal)).count;
  }

  private async addAll(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams(this.query);
    for (let cursor: string | null = ''; cursor !== null; ) {
      query.set('cursor', cursor);
      const part: { ids: readonly string[]; nextCursor: string | null } = await this.fetch('ids', query, signal);
      this.selection.add(part.ids);
      cursor = part.nextCursor;
    }
  }

  private async fetch<T>(what: string, query: URLSearchParams, signal?: AbortSignal): Promise<T> {
    const options = { headers: { Accept: 'application/json' }, ...(signal && { signal }) };
    const answer = await fetch(publicPath(`/settings/library/${what}?${query}`), options);
    if (!answer.ok || answer.redirected) throw new Error(`the list of photos answered ${answer.status}`);
    return answer.json();
  }
}
