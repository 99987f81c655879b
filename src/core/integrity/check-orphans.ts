import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Findings } from './findings.js';
import type { OrphanRow, OrphanRows } from './orphan-rows.js';

/** Rows per statement. */
const BATCH = 500;

const orphanMessages: Readonly<Record<OrphanRow['kind'], string>> = {
  photo: 'This photo refers to an import that its customer does not have.',
  item: 'This item refers to an import that its customer does not have.',
  original: 'This photo refers to an original of another customer.',
  tag: 'This photo refers to a tag that its customer does not have.',
  residue: 'Tags or EXIF data remain of this photo, which was permanently deleted.',
};

/** I8 and I9. The database refuses such rows: one that exists was restored or changed by other means than this program. */
export async function checkOrphans(
  { store }: { store: Readable<'orphanRows'> },
  customerId: Id,
  findings: Findings,
): Promise<void> {
  for (let after: Id | null = null; ; ) {
    const { last, rows }: OrphanRows = await store.query(customerId, (reader) => reader.orphanRows.list(after, BATCH));
    for (const { kind, id } of rows) {
      findings.report(kind === 'residue' ? 'I8' : 'I9', orphanMessages[kind], { customerId, photoId: id });
    }
    if (last === null) return;
    after = last;
  }
}
