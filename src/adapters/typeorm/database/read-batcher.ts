import { Batcher } from '../../../core/shared/batcher.js';
import { nextTurn } from '../../system-clock.js';

/**
 * Finds values by key, within a group; concurrent calls for one group share one read. No call is answered by a read that began before it:
 * it sees all earlier changes, as a separate read would. An error of the read is passed to every caller.
 */
export function readBatcher<Group, Name, Found>(
  read: (group: Group, names: readonly Name[]) => Promise<ReadonlyMap<Name, Found>>,
): Batcher<Group, Name, Found | null> {
  const find = async (group: Group, names: readonly Name[]) => {
    const found = await read(group, [...new Set(names)]);
    return names.map((name) => found.get(name) ?? null);
  };
  return new Batcher<Group, Name, Found | null>(find, { collect: nextTurn, retrySingly: false });
}
