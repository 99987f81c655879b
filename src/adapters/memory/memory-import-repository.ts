import { type CountedImport, countItems, type Import, type NewImport } from '../../core/imports/import.js';
import type { ImportPhotoStatus } from '../../core/imports/import-photo.js';
import type { ImportRepository } from '../../core/imports/import-repository.js';
import type { Id } from '../../core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { HeldRows } from './memory-held-rows.js';

export class MemoryImportRepository implements ImportRepository {
  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
    private readonly held: HeldRows,
  ) {}

  async find(id: Id): Promise<Import | null> {
    const subject = this.database.imports.get(id);
    return subject?.customerId === this.customerId ? subject : null;
  }

  async lock(id: Id): Promise<Import | null> {
    this.held.hold('import', [id]);
    return this.find(id);
  }

  async get(id: Id): Promise<CountedImport | null> {
    const subject = await this.find(id);
    return subject && this.counted(subject);
  }

  async findOpenByClientRef(clientRef: string): Promise<CountedImport | null> {
    const subject = this.open().find((candidate) => candidate.clientRef === clientRef);
    return subject ? this.counted(subject) : null;
  }

  async countOpen(): Promise<number> {
    return this.open().length;
  }

  async expired(at: Date, limit: number): Promise<readonly Id[]> {
    const due = (subject: Import) => subject.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return this.open()
      .filter((subject) => due(subject) <= at.getTime())
      .sort((a, b) => due(a) - due(b) || a.id - b.id)
      .slice(0, limit)
      .map((subject) => subject.id);
  }

  async endingAfter(at: Date, window: { readonly after: Id | null; readonly limit: number }): Promise<readonly Id[]> {
    return this.open()
      .filter(({ id, expiresAt }) => id > (window.after ?? 0) && (expiresAt?.getTime() ?? 0) > at.getTime())
      .map(({ id }) => id)
      .sort((a, b) => a - b)
      .slice(0, window.limit);
  }

  async insert(subject: NewImport): Promise<Import | null> {
    if (subject.clientRef !== null && (await this.findOpenByClientRef(subject.clientRef)) !== null) return null;
    this.database.demandCustomer(this.customerId);
    const row = { ...subject, id: this.database.next('import'), customerId: this.customerId };
    this.database.imports.set(row.id, row);
    this.held.hold('import', [row.id]);
    return row;
  }

  async update(subject: Import): Promise<void> {
    if ((await this.find(subject.id)) === null) return;
    this.held.demand('import', subject.id);
    const { counts: _, totalBytes: __, ...row } = subject as CountedImport;
    this.database.imports.set(subject.id, { ...row, customerId: this.customerId });
  }

  private open(): Import[] {
    return this.database.imports.where((row) => row.customerId === this.customerId && row.status === 'open');
  }

  private counted(subject: Import): CountedImport {
    const items = this.database.importPhotos.where((item) => item.importId === subject.id);
    const byStatus = new Map<ImportPhotoStatus, number>();
    for (const { status } of items) byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    const totalBytes = items.reduce((sum, item) => sum + (item.sizeBytes ?? 0), 0);
    return { ...subject, counts: countItems(byStatus), totalBytes };
  }
}
