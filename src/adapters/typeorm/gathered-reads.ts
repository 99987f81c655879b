/** What is to be found by one read, as it is asked for. */
interface Round<Name, Found> {
  readonly names: Set<Name>;
  readonly found: Promise<ReadonlyMap<Name, Found>>;
}

/**
 * Finds things by name, within a group; those of a group that are asked for at the same time by one read. Nobody is answered by a
 * read that began before the question: what had changed by then is seen, as by a read of one's own. An error of the read is everybody's.
 */
export class GatheredReads<Group, Name, Found> {
  private readonly next = new Map<Group, Round<Name, Found>>();

  constructor(private readonly read: (group: Group, names: readonly Name[]) => Promise<ReadonlyMap<Name, Found>>) {}

  async find(group: Group, name: Name): Promise<Found | null> {
    const { names, found } = this.next.get(group) ?? this.begin(group);
    names.add(name);
    return (await found).get(name) ?? null;
  }

  /** What sockets have brought by now is looked at first: under load, that is the requests of several clients. */
  private begin(group: Group): Round<Name, Found> {
    const names = new Set<Name>();
    const gathered = new Promise<void>((resolve) => setImmediate(resolve));
    const found = gathered.then(() => {
      this.next.delete(group);
      return this.read(group, [...names]);
    });
    const round = { names, found };
    this.next.set(group, round);
    return round;
  }
}
