import type { ImportSource } from './source.js';

// A later run resumes the imports that are not finished (`resumeImports`, run-import.ts), and skips files of imports that are being finished
// (`isIn`, there), the hash of a file that is unchanged (`hashOf`, below), a file that was found bad and the bytes that the service has
// (`hashed`, `fillImport` and `Filling.take`, fill-import.ts). `phs import` has it in
// a file under `~/.local/state`; cli/src/import/import-state-file.ts says in which.

/**
 * The state that a run stores for the next one. The service knows its own state; this says which import to resume, and avoids hashing unchanged
 * files again. Losing it costs time and, after an interruption, an abandoned import; never a photo.
 */
export interface ImportState {
  readonly version: 1;
  /** The service that this belongs to. */
  readonly service: string;
  /** Imports that had not ended when last seen. */
  readonly imports: readonly ImportRecord[];
  readonly files: Readonly<Record<string, FileRecord>>;
}

export interface ImportRecord {
  /** Chosen before the import is created: two calls for it get the same one. */
  readonly clientRef: string;
  /** Null until the service has answered. */
  id: number | null;
  /** `finalizing` is written before the service is asked to finalize. */
  phase: 'open' | 'finalizing';
}

export interface FileRecord {
  readonly fingerprint: string | null;
  readonly sha256: string;
  /** The `clientRef` of the import that it belongs to; null when that has ended. */
  readonly import: string | null;
}

/** Where the state is stored. */
export interface ImportMemory {
  load(): Promise<ImportState | null>;
  /** All or nothing: an interruption leaves the previous state. */
  save(state: ImportState): Promise<void>;
}

/** Rarely enough that writing takes no significant time, however long the list is. */
const SAVE_EVERY_MS = 1000;
const SAVE_SHARE = 20;

/** The state of the current run: changed in memory at every step, saved periodically and at the important steps. */
export class RunState {
  readonly imports: ImportRecord[];
  /** The files of earlier runs. A map: a file may be called `constructor`. */
  private readonly known: Map<string, FileRecord>;
  private readonly files = new Map<string, FileRecord>();
  private saving: Promise<void> = Promise.resolve();
  private nextSave = 0;

  private constructor(
    private readonly service: string,
    private readonly memory: ImportMemory | null,
    before: ImportState | null,
  ) {
    this.imports = before?.service === service ? before.imports.map((record) => ({ ...record })) : [];
    this.known = new Map(Object.entries(before?.files ?? {}));
  }

  static async load(service: string, memory: ImportMemory | null): Promise<RunState> {
    return new RunState(service, memory, (await memory?.load()) ?? null);
  }

  /** The known SHA-256 of this very content. */
  hashOf(source: ImportSource): string | null {
    return this.recordOf(source)?.sha256 ?? null;
  }

  /** The unfinished import that the content was registered with, if it is unchanged. */
  importOf(source: ImportSource): ImportRecord | null {
    const { import: into = null } = this.recordOf(source) ?? {};
    return this.imports.find(({ clientRef }) => clientRef === into) ?? null;
  }

  private recordOf({ ref, fingerprint }: ImportSource): FileRecord | null {
    const file = this.known.get(ref);
    return this.files.get(ref) ?? (fingerprint !== null && file?.fingerprint === fingerprint ? file : null);
  }

  remember({ ref, fingerprint }: ImportSource, sha256: string, into: ImportRecord | null): void {
    this.files.set(ref, { fingerprint, sha256, import: into?.clientRef ?? null });
    if (performance.now() >= this.nextSave) void this.save().catch(() => undefined);
  }

  newImport(clientRef = `sdk:${crypto.randomUUID()}`): ImportRecord {
    const record: ImportRecord = { clientRef, id: null, phase: 'open' };
    this.imports.push(record);
    return record;
  }

  ended(record: ImportRecord): void {
    this.imports.splice(this.imports.indexOf(record), 1);
    for (const [ref, file] of this.files) {
      if (file.import === record.clientRef) this.files.set(ref, { ...file, import: null });
    }
  }

  /** Resolves once the current state is stored. */
  save(): Promise<void> {
    const { memory } = this;
    if (memory === null) return Promise.resolve();
    this.nextSave = Number.POSITIVE_INFINITY;
    const saved = this.saving.then(async () => {
      const began = performance.now();
      // Files that this run has not reached yet may be needed to resume.
      const files = Object.fromEntries([...this.known, ...this.files]);
      await memory.save({ version: 1, service: this.service, imports: this.imports, files });
      const now = performance.now();
      this.nextSave = now + Math.max(SAVE_EVERY_MS, SAVE_SHARE * (now - began));
    });
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  /** The run is over: files that it did not see are removed. */
  async finish(): Promise<void> {
    this.known.clear();
    await this.save();
  }
}
