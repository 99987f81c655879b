/** The progress of an import. Numbers only grow, except for those of a file whose upload starts again. */
export interface ImportProgress {
  /** The current phase: files are hashed and sent at the same time; `processing` is the service's part. */
  readonly phase: 'sending' | 'processing' | 'done';
  readonly files: {
    readonly total: number;
    /** Files whose SHA-256 is known. */
    readonly hashed: number;
    /** Files that are registered with the service. */
    readonly registered: number;
    readonly uploaded: number;
    /** Files that the service has already: nothing of them is sent. */
    readonly duplicates: number;
    readonly failed: number;
    /** Files that the service has looked at or given up, out of `registered`: they are published once it has done so with all. */
    readonly processed: number;
  };
  readonly bytes: {
    /** The number of all files. */
    readonly total: number;
    /** The number of files that have to be sent, as far as known. */
    readonly toUpload: number;
    readonly uploaded: number;
  };
}

/** Counts, and reports every change. */
export class Tally {
  private phase: ImportProgress['phase'] = 'sending';
  private readonly counts = { hashed: 0, registered: 0, uploaded: 0, duplicates: 0, failed: 0, processed: 0 };
  private readonly sizes = { toUpload: 0, uploaded: 0 };
  /** Processed items, by import. */
  private readonly done = new Map<number, number>();

  constructor(
    private readonly total: { readonly files: number; readonly bytes: number },
    private readonly tell: (progress: ImportProgress) => void,
  ) {}

  count(name: keyof Tally['counts'], by = 1): void {
    this.counts[name] += by;
    this.changed();
  }

  bytes(name: keyof Tally['sizes'], by: number): void {
    this.sizes[name] += by;
    this.changed();
  }

  processed(importId: number, items: number): void {
    this.done.set(importId, items);
    // An import may hold items of an earlier run that are none of this one's files.
    const all = [...this.done.values()].reduce((sum, each) => sum + each, 0);
    this.counts.processed = Math.min(this.counts.registered, all);
    this.changed();
  }

  enter(phase: ImportProgress['phase']): void {
    this.phase = phase;
    this.changed();
  }

  now(): ImportProgress {
    const { phase, total, counts, sizes } = this;
    return { phase, files: { total: total.files, ...counts }, bytes: { total: total.bytes, ...sizes } };
  }

  private changed(): void {
    this.tell(this.now());
  }
}
