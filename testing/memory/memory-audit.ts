import {
  type Actor,
  type AuditEntry,
  type Change,
  entryOf,
  type OperatorChange,
  type OperatorEntry,
  type OperatorEntryWindow,
  operatorEntryOf,
} from '../../src/core/audit/audit-entry.js';
import { type AuditFilter, type AuditLog, type AuditTrail, noFilter } from '../../src/core/audit/audit-log.js';
import type { Id } from '../../src/core/shared/ids.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryRepository } from './memory-repository.js';

export class MemoryAuditTrail extends MemoryRepository implements AuditTrail {
  async add(actor: Actor, made: Omit<Change, 'customerId'>): Promise<void> {
    this.database.requireCustomer(this.customerId);
    const entry = {
      ...entryOf(actor, { ...made, customerId: this.customerId }),
      id: this.database.next('audit entry'),
    };
    this.database.auditEntries.set(entry.id, entry);
  }

  async list(before: Id | null, limit: number, filter = noFilter): Promise<readonly AuditEntry[]> {
    return this.database.auditEntries
      .rowsOf(this.customerId, (entry) => entry.id < (before ?? Number.POSITIVE_INFINITY) && passes(filter, entry))
      .sort((a, b) => b.id - a.id)
      .slice(0, limit)
      .map(copyOf);
  }
}

function passes({ actions, name, from, until }: AuditFilter, entry: AuditEntry): boolean {
  if (actions !== null && !actions.includes(entry.action)) return false;
  const names = [entry.actorName, entry.subjectName].map((each) => each?.toLowerCase());
  if (name !== null && !names.includes(name.toLowerCase())) return false;
  return (from === null || entry.at >= from) && (until === null || entry.at < until);
}

export class MemoryAuditLog implements AuditLog {
  constructor(private readonly database: MemoryDatabase) {}

  addOperatorEntry(actor: Actor, made: OperatorChange): Promise<void> {
    return this.database.transaction(async () => addOperatorEntry(this.database, actor, made));
  }

  operatorEntries({ until, tokenId, limit }: OperatorEntryWindow): Promise<readonly OperatorEntry[]> {
    return this.database.transaction(async () => {
      const { operatorEntries, auditEntries } = this.database;
      const ofNone = operatorEntries.entries().map(([id, entry]) => {
        const customerId = entry.action === 'customer.erased' ? entry.subjectId : null;
        return { ...entry, id, customerId, count: 1 };
      });
      const ofAccounts = auditEntries.where(({ actorKind }) => actorKind === 'operator');
      const isAbout = ({ actorKind, actorId, subjectId, action }: OperatorEntry) =>
        tokenId === null ||
        (actorKind === 'operator' && actorId === tokenId) ||
        (subjectId === tokenId && action.startsWith('operator_token.'));
      return [...ofNone, ...ofAccounts]
        .filter((entry) => (until === null || entry.at < until) && isAbout(entry))
        .sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)
        .slice(0, limit)
        .map(({ id: _, ...entry }) => copyOf(entry));
    });
  }

  sweep(before: Date, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const old = this.database.auditEntries.where(({ at }) => at < before).slice(0, limit);
      for (const { id } of old) this.database.auditEntries.delete(id);
      const { operatorEntries } = this.database;
      const oldOfNone = operatorEntries.entries().filter(([, { at }]) => at < before);
      for (const [id] of oldOfNone.slice(0, limit)) operatorEntries.delete(id);
      return Math.max(old.length, Math.min(oldOfNone.length, limit));
    });
  }
}

/** Stores an entry of the operator, in the transaction of the change. */
export function addOperatorEntry(database: MemoryDatabase, actor: Actor, made: OperatorChange): void {
  database.operatorEntries.set(database.next('operator entry'), operatorEntryOf(actor, made));
}
