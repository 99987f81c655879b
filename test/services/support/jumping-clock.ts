import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './programs.js';

/** The time of day of processes of a test, which can jump; their stopwatches go on as if nothing had happened. */
export class JumpingClock {
  private readonly folder = mkdtempSync(join(tmpdir(), 'clock-'));
  private readonly file = join(this.folder, 'faketime.rc');

  constructor() {
    this.jumpTo(0);
  }

  /** What a process must have in its environment. */
  get environment(): Readonly<Record<string, string>> {
    const said = execFileSync(program('faketime', 'faketime'), ['-f', '+0', 'env'], { encoding: 'utf8' });
    const library = /^LD_PRELOAD=(.*)$/m.exec(said)?.[1];
    if (library === undefined) throw new Error(`faketime does not say which library it loads:\n${said}`);
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** So many seconds away from the true time, from now on. */
  jumpTo(seconds: number): void {
    // At once, for those who read it meanwhile.
    writeFileSync(`${this.file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${this.file}.new`, this.file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
