/** What is to be found by one read, as it is asked for. */
interface Batch<Name, Found> {
  readonly names: Set<Name>;
  readonly found: Promise<ReadonlyMap<Name, Found>>;
}

/**
 * Finds things by name, within a group; those of a group that are asked for at the same time by one read. Nobody is answered by a
 * read that began before the question: what had changed by then is seen, as by a read of one's own. An error of the read is everybody's.
 */
export class ReadBatcher<Group, Name, Found> {
  private readonly next = new Map<Group, Batch<Name, Found>>();

  constructor(private readonly read: (group: Group, names: readonly Name[]) => Promise<ReadonlyMap<Name, Found>>) {}

  async find(group: Group, name: Name): Promise<Found | null> {
    const { names, found } = this.next.get(group) ?? this.open(group);
    names.add(name);
    return (await found).get(name) ?? null;
  }

  /** What sockets have brought by now is looked at first: under load, that is the requests of several clients. */
  private open(group: Group): Batch<Name, Found> {
    const names = new Set<Name>();
    const batcher = new Promise<void>((resolve) => setImmediate(resolve));
    const found = batcher.then(() => {
      this.next.delete(group);
      return this.read(group, [...names]);
    });
    const batch = { names, found };
    this.next.set(group, batch);
    return batch;
  }
}
