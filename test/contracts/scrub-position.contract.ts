import type { ScrubPosition } from '../../src/core/integrity/scrub.js';

/** What `ScrubPosition` promises. `open` gives an empty one for each test. */
export function scrubPositionContract(name: string, open: () => Promise<ScrubPosition>): void {
  describe(`ScrubPosition: ${name}`, () => {
    const round = {
      beganAt: new Date('2026-11-23T04:05:06.789Z'),
      photos: 812,
      checked: 20,
      customerId: 3,
      photoId: 4567,
      isComplete: false,
    };

    it('has no round at the beginning', async () => {
      expect(await (await open()).read()).toBeNull();
    });

    it('returns the round that was written last', async () => {
      const position = await open();
      await position.write(round);
      expect(await position.read()).toEqual(round);
      const next = { ...round, checked: 0, customerId: null, photoId: null, isComplete: true };
      await position.write(next);
      expect(await position.read()).toEqual(next);
    });

    it('has one whole round when several are written at once', async () => {
      const position = await open();
      const rounds = Array.from({ length: 20 }, (_, checked) => ({ ...round, checked }));
      await Promise.all(rounds.map((each) => position.write(each)));
      expect(rounds).toContainEqual(await position.read());
    });
  });
}
