/** What is to be found by one read, as it is asked for. */
interface Round<Found> {
  readonly names: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Found>>;
}

/**
 * Finds things by name; those that are asked for at the same time by one read. Nobody is answered by a read that began before
 * the question: what had changed by then is seen, as by a read of one's own. An error of the read is everybody's.
 */
export class GatheredReads<Found> {
  private next: Round<Found> | null = null;

  constructor(private readonly read: (names: readonly string[]) => Promise<ReadonlyMap<string, Found>>) {}

  async find(name: string): Promise<Found | null> {
    this.next ??= this.begin();
    const { names, found } = this.next;
    names.add(name);
    return (await found).get(name) ?? null;
  }

  /** What sockets have brought by now is looked at first: under load, that is the requests of several clients. */
  private begin(): Round<Found> {
    const names = new Set<string>();
    const gathered = new Promise<void>((resolve) => setImmediate(resolve));
    const found = gathered.then(() => {
      this.next = null;
      return this.read([...names]);
    });
    return { names, found };
  }
}
