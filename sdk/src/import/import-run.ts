import type { PhotoService } from '../photo-service.js';
import type { ImportMemory, RunState } from './import-state.js';
import type { ImportProgress, Tally } from './progress.js';
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

/** Numbers that the service may have set otherwise. */
export interface ImportLimits {
  readonly batchSize: number;
  readonly maxPhotos: number;
  /** Null: not known. */
  readonly maxFileBytes: number | null;
  /** Content types that the service can read; null: not known. */
  readonly formats: readonly string[] | null;
}

/** The values that the steps of one run share. */
export interface ImportRun {
  readonly client: PhotoService;
  readonly options: ImportOptions;
  readonly limits: ImportLimits;
  readonly state: RunState;
  readonly tally: Tally;
  readonly signal: AbortSignal;
  /** By the name of the file. */
  readonly failures: Map<string, ImportFailure>;
  fail(source: Pick<ImportSource, 'ref'>, code: string, message: string): void;
}
