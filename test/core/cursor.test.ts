import { type Listing, type PageWindow, readPage } from '../../src/core/shared/pagination.js';
import type { Secrets } from '../../src/core/shared/secrets.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';

const secrets: Secrets = ['a secret of at least thirty-two characters'];
const HOUR = 3_600_000;

/** Ten rows by id, as a list that cursors can walk. */
function listing(over: Partial<Listing<{ id: number }>> = {}): Listing<{ id: number }> {
  const rows = Array.from({ length: 10 }, (_, at) => ({ id: at + 1 }));
  return {
    customerId: 1,
    list: 'photos',
    sort: 'id',
    filters: { tagIds: [1, 2], q: 'x' },
    position: (row) => ({ value: row.id, id: row.id }),
    rows: async ({ after, limit }: PageWindow) => rows.filter((row) => row.id > (after?.id ?? 0)).slice(0, limit),
    hasRowAt: async () => true,
    ...over,
  };
}

function at(ms: number) {
  return { secrets, clock: new SettableClock(new Date(Date.UTC(2026, 10, 21) + ms)) };
}

async function firstCursor(): Promise<string> {
  const { nextCursor } = await readPage(at(0), listing(), { limit: 3, cursor: null });
  if (nextCursor === null) throw new Error('the first page should have a next one');
  return nextCursor;
}

describe('a cursor', () => {
  it('walks through the whole list and shows each row once', async () => {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof readPage<{ id: number }>>> = await readPage(at(0), listing(), {
        limit: 3,
        cursor,
      });
      seen.push(...page.data.map((row) => row.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('is null when the list ends exactly at the end of a page', async () => {
    expect((await readPage(at(0), listing(), { limit: 10, cursor: null })).nextCursor).toBeNull();
  });

  it('is independent of the order of filter names', async () => {
    const same = listing({ filters: { q: 'x', tagIds: [1, 2] } });
    expect((await readPage(at(0), same, { limit: 3, cursor: await firstCursor() })).data).toHaveLength(3);
  });

  it.each([
    ['another customer', { customerId: 2 }],
    ['another endpoint', { list: 'tags' }],
    ['another sort', { sort: '-id' }],
    ['other filters', { filters: { tagIds: [1, 3], q: 'x' } }],
  ])('is invalid for %s', async (_, other) => {
    const request = { limit: 3, cursor: await firstCursor() };
    await expect(readPage(at(0), listing(other), request)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is invalid after a change of any byte', async () => {
    const cursor = await firstCursor();
    for (let place = 0; place < cursor.length; place += 1) {
      const changed = cursor.slice(0, place) + (cursor[place] === 'A' ? 'B' : 'A') + cursor.slice(place + 1);
      await expect(readPage(at(0), listing(), { limit: 3, cursor: changed })).rejects.toMatchObject({
        code: 'invalid_cursor',
      });
    }
  });

  it.each(['', 'x', '====', '%00', 'a'.repeat(5000), '9007199254740993'])('is invalid if it is %p', async (cursor) => {
    await expect(readPage(at(0), listing(), { limit: 3, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is valid when it is signed by an older secret', async () => {
    const rotated = { ...at(0), secrets: ['the new secret of thirty-two characters.', ...secrets] as Secrets };
    expect((await readPage(rotated, listing(), { limit: 3, cursor: await firstCursor() })).data[0]?.id).toBe(4);
  });

  it('is invalid when it is signed by a secret that was removed', async () => {
    const dropped = { ...at(0), secrets: ['the new secret of thirty-two characters.'] as Secrets };
    const request = { limit: 3, cursor: await firstCursor() };
    await expect(readPage(dropped, listing(), request)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is valid for 24 hours although the list has shifted', async () => {
    const shifted = listing({ hasRowAt: async () => false });
    expect((await readPage(at(24 * HOUR), shifted, { limit: 3, cursor: await firstCursor() })).data).toHaveLength(3);
  });

  it('is invalid after 24 hours when the list has shifted', async () => {
    const shifted = listing({ hasRowAt: async () => false });
    const request = { limit: 3, cursor: await firstCursor() };
    await expect(readPage(at(24 * HOUR + 1), shifted, request)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is valid after 24 hours when the list has not shifted', async () => {
    expect((await readPage(at(100 * HOUR), listing(), { limit: 3, cursor: await firstCursor() })).data).toHaveLength(3);
  });
});
