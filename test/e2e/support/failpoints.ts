import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Installation } from './service.js';

/** Kills the program of an installation right after a step that is named: in processes that start with `settings`. */
export class Failpoints {
  private readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;

  constructor({ dataDir }: Installation) {
    this.folder = join(dataDir, 'failpoints');
    mkdirSync(this.folder, { recursive: true });
    const script = pathToFileURL(join(__dirname, 'watch-steps.mjs')).href;
    this.settings = { NODE_OPTIONS: `--import=${script}`, FAILPOINTS: this.folder };
    this.disarm();
  }

  /** From now on; for those that run already, too. @param step As in `upload:storeDeclaredBytes/blobs.put`. */
  arm(step: string): void {
    writeFileSync(join(this.folder, 'armed'), step);
  }

  disarm(): void {
    this.arm('');
  }

  /** The steps that were taken so far, each once, in the order of their names. */
  seen(): readonly string[] {
    const file = join(this.folder, 'seen');
    return existsSync(file) ? [...new Set(readFileSync(file, 'utf8').trim().split('\n'))].sort() : [];
  }
}
