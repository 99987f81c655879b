import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');
/** Of these, only the packages are needed; the clients are used as they are built here. */
const left = ['node_modules', '.git', 'bench', 'data', 'docker', 'examples'];

/** A copy of this tree, whose sources a test changes and runs. */
export class TreeCopy {
  readonly path = mkdtempSync(join(tmpdir(), 'phs-tree-'));

  constructor() {
    const filter = (path: string) => !path.includes(join(root, 'test/fixtures'));
    for (const name of readdirSync(root).filter((each) => !left.includes(each))) {
      cpSync(join(root, name), join(this.path, name), { recursive: true, preserveTimestamps: true, filter });
    }
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'));
  }

  /** Returns what the program printed. Errors: what it printed, when it fails. */
  run(program: string, ...args: string[]): string {
    const { NODE_OPTIONS: _, ...rest } = process.env;
    // Otherwise git would look for a repository above the folder.
    const env = { ...rest, GIT_CEILING_DIRECTORIES: tmpdir(), NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: this.path, encoding: 'utf8', env });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
    return stdout + stderr;
  }

  node(...args: string[]): string {
    return this.run(process.execPath, ...args);
  }

  /** Runs suites of the product's parts in one process, which loads the application once: others run beside it. */
  jest(paths: string, ...args: string[]): string {
    const jest = ['node_modules/jest/bin/jest.js', '--selectProjects=parts', '--runInBand'];
    return this.node(...jest, '--testPathPatterns', paths, ...args);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
