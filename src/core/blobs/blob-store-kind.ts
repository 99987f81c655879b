import type { BlobStore } from './blob-store.js';
import type { DirectUploads } from './direct-uploads.js';

/**
 * A kind of blob store that an installation may choose by `BLOB_STORE`: how its settings are read, how it is named to people and how it is
 * opened. Everything else in the program asks this value. The values of this program are in one list (`composition/blob-stores.ts`), and a
 * module from outside exports one as its default. docs/adapters.md describes how to write one.
 */
export interface BlobStoreKind<Settings = unknown> {
  /** The value of `BLOB_STORE`: a lower-case word. Of a module from outside, its path takes the place of this. */
  readonly kind: string;
  /** Advice for when the store cannot be used, as a sentence: what to check. */
  readonly advice: string;
  /** The names of settings whose values are not secret, and help those who help with an installation. */
  readonly shownSettings?: readonly string[];
  /** The beginning of names that only this store has. A variable that begins like this and is none of its settings is probably misspelt. */
  readonly prefix?: string;
  /** The folder below the data folder in which blobs are files, if they are: without it there is no installation, and nginx may send them. */
  readonly folder?: string;
  /**
   * Whether the store compares stored bytes with their checksums by itself and repairs them. If not, the service reads every original
   * again from time to time.
   */
  readonly verifiesItself?: boolean;
  /** The form of URLs that `fromUrl` takes, such as `s3://BUCKET`. */
  readonly urlForm?: string;
  /**
   * Reads the settings of the store. All its names must be read whatever the values of others, since this is how names are known. Does not
   * contact the store, and throws nothing: problems are reported to `read`.
   */
  settings(read: SettingsReader): Settings;
  /**
   * Reads the settings of the store that a URL names, as the target of a copy, with all other settings from `read`. Null if the URL has
   * another form.
   */
  fromUrl?(url: URL, read: SettingsReader): Settings | null;
  /** Where the blobs are, for people, without secrets: "the bucket photos". */
  describe(settings: Settings, dataDir: string): string;
  /** Opens the store, which must exist. It need not be reachable: a service can start while its store is unavailable. */
  open(settings: Settings, options: BlobStoreOptions): Promise<OpenedBlobStore>;
}

export interface BlobStoreOptions {
  /** The data folder of the installation. It may be missing. */
  readonly dataDir: string;
  /** The size of the largest blob that will be put. */
  readonly maxFileBytes: number;
  /** Bytes that uploads leave free; null: for the store to choose. For stores on a disk. */
  readonly minFreeBytes: number | null;
}

export interface OpenedBlobStore {
  readonly blobs: BlobStore;
  /** Null, or absent, when clients cannot send bytes to the store themselves. */
  readonly directUploads?: DirectUploads | null;
  /** Called once, when nothing uses the store any longer. */
  close?(): void;
}

/** A kind of store, with its settings. */
export interface ChosenBlobStore {
  readonly store: BlobStoreKind;
  readonly settings: unknown;
}

/** Reads variables of the environment. Empty means unset, and spaces around a value do not count. All problems are reported at once. */
export interface SettingsReader {
  has(name: string): boolean;
  text(name: string, fallback: string): string;
  /** Reports `NAME must be set because …` when it is unset, and then returns an empty text. */
  needed(name: string, why: string): string;
  whole(name: string, fallback: number, min: number, max: number): number;
  yesOrNo(name: string, fallback: boolean): boolean;
  /** Null when it is unset, or not a URL with one of these protocols, such as `https:`. */
  url(name: string, protocols: readonly string[]): string | null;
  /** Reports what else is wrong, as a sentence that names the variable and never contains a secret. */
  problem(sentence: string): void;
}
