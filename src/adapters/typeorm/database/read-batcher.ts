/** The keys of one read, collected as they are requested. */
interface Batch<Name, Found> {
  readonly names: Set<Name>;
  readonly found: Promise<ReadonlyMap<Name, Found>>;
}

/**
 * Finds values by key, within a group; concurrent calls for one group share one read. No call is answered by a read that began before it:
 * it sees all earlier changes, as a separate read would. An error of the read is passed to every caller.
 */
export class ReadBatcher<Group, Name, Found> {
  private readonly next = new Map<Group, Batch<Name, Found>>();

  constructor(private readonly read: (group: Group, names: readonly Name[]) => Promise<ReadonlyMap<Name, Found>>) {}

  async find(group: Group, name: Name): Promise<Found | null> {
    const { names, found } = this.next.get(group) ?? this.open(group);
    names.add(name);
    return (await found).get(name) ?? null;
  }

  /** Data that sockets have received by now is processed first: under load, that is the requests of several clients. */
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
