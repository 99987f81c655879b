import { ApiError } from '../errors.js';
import type { PhotoService } from '../photo-service.js';
import type { Import } from '../resources.js';
import { type ImportMemory, RunState } from './import-state.js';
import type { ImportSource } from './source.js';

/** The options of an import. */
export interface ImportOptions {
  /** The name that people see in the list of imports. */
  readonly name?: string;
  /** The program that imports, for the same list. */
  readonly source?: string;
  /** Tags for every new photo. Names that are not there yet are made, which needs the scope `tags:write`. */
  readonly tagNames?: readonly string[];
  readonly tagIds?: readonly number[];
  /** The zone of photos whose file does not tell it, such as `Europe/Oslo`. */
  readonly defaultTimeZone?: string;
  /** `skip` (default) leaves out what the library has already, by SHA-256; `allow` makes second photos. */
  readonly duplicatePolicy?: 'skip' | 'allow';
  /** Whether a file that lies in the trash comes back from there (default), or stays. */
  readonly restoreTrashed?: boolean;
  /** Whether tags are also added to photos that the library has already; default false. */
  readonly tagDuplicates?: boolean;
  /** Whether the keywords in files become tags of their photos, which needs the scope `tags:write`; `if_allowed`: if the key has it. Default false. */
  readonly keywordsAsTags?: boolean | 'if_allowed';
  /** The key lacks the scope for `if_allowed`, so that keywords do not become tags. Called for each import of the run. */
  readonly onKeywordsLeft?: () => void;
  /** Whether a photo whose file does not say when it was taken gets the date in its file name; default false. */
  readonly dateFromFilename?: boolean;
  /** The number of files that are sent at a time; 1 to 16, default 6. */
  readonly uploads?: number;
  /** Hashes and compares, but changes nothing and sends nothing. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Ends the run; it can be resumed. */
  readonly signal?: AbortSignal;
  /** Where the run is remembered, so that one that was cut off is resumed; without it a later run starts anew. */
  readonly memory?: ImportMemory;
}

/** Why one file is not in the library. */
export interface ImportFailure {
  /** The file, by the name of its `ImportSource`. */
  readonly ref: string;
  /** One of the API's item errors such as `not_an_image`, or `unreadable`, `file_changed`, `upload_refused`. */
  readonly code: string;
  readonly message: string;
}

export interface ImportResult {
  readonly dryRun: boolean;
  readonly total: number;
  /** New photos of the library. In a dry run: what would be sent. Null in a dry run whose key lacks `photos:read`. */
  readonly imported: number | null;
  /** Files that the library had already. */
  readonly duplicates: number | null;
  readonly failed: readonly ImportFailure[];
  /** Bytes of files that this run sent. In a dry run: would send. */
  readonly bytesUploaded: number | null;
  /** The imports that the files were in: one for each 10,000. */
  readonly imports: readonly { readonly id: number; readonly status: string }[];
}

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

/** The values that the steps of one run share. */
export type ImportRun = Awaited<ReturnType<typeof beginRun>>;

export async function beginRun(
  client: PhotoService,
  total: { readonly files: number; readonly bytes: number },
  options: ImportOptions,
  signal: AbortSignal,
) {
  const tally = new Tally(total, options.onProgress ?? (() => undefined));
  const failures = new Map<string, ImportFailure>();
  const account = await client.customer({ signal }).catch((error: unknown) => {
    // A key that may only import cannot read the customer: then the service itself enforces the limits.
    if (error instanceof ApiError && error.code === 'scope_required') return null;
    throw error;
  });
  const { importBatchSize = 500, importMaxPhotos = 10_000, maxFileBytes = null } = account?.limits ?? {};
  return {
    client,
    options,
    // Numbers that the service may have set otherwise; null where they are not known. The formats are content types that it can read.
    limits: { importBatchSize, importMaxPhotos, maxFileBytes, formats: account?.formats ?? null },
    state: await RunState.load(client.baseUrl, options.memory ?? null),
    tally,
    signal,
    // By the name of the file.
    failures,
    fail({ ref }: Pick<ImportSource, 'ref'>, code: string, message: string): void {
      if (!failures.has(ref)) tally.count('failed');
      failures.set(ref, { ref, code, message });
    },
  };
}

/** Returns the result of a run whose imports have ended. */
export function resultOf({ tally, failures }: ImportRun, subjects: readonly Import[]): ImportResult {
  const { files, bytes } = tally.now();
  return {
    dryRun: false,
    total: files.total,
    imported: subjects.reduce((sum, { counts }) => sum + counts.imported, 0),
    duplicates: subjects.reduce((sum, { counts }) => sum + counts.duplicate, 0),
    failed: [...failures.values()],
    bytesUploaded: bytes.uploaded,
    imports: subjects.map(({ id, status }) => ({ id, status })),
  };
}

/** Counts, and reports every change. */
class Tally {
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
