import type { ScrubPosition, ScrubRound } from '../../src/core/integrity/scrub.js';

export class MemoryScrubPosition implements ScrubPosition {
  private round: ScrubRound | null = null;

  async read(): Promise<ScrubRound | null> {
    return this.round;
  }

  async write(round: ScrubRound): Promise<void> {
    this.round = round;
  }
}
