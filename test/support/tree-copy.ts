import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';

const root = join(__dirname, '../..');
/** Of these, only the packages are needed. */
const left = ['node_modules', '.git', 'data', 'docker'];
/** The packages that are folders of the tree, by their names in `node_modules`. */
const workspaces = ['sdk', 'uploader', 'cli', 'postgres'].map((folder) => [`photo-service-${folder}`, folder] as const);

/** A copy of this tree, whose sources a test changes and runs. */
export class TreeCopy {
  readonly path = mkdtempSync(join(tmpdir(), 'phs-tree-'));

  /** @param files These alone; without them, whatever a test may run. */
  constructor(files?: readonly string[]) {
    for (const file of files ?? []) cpSync(join(root, file), join(this.path, file));
    if (files === undefined) this.copyAll();
  }

  private copyAll(): void {
    const filter = (path: string) => !path.includes(join(root, 'test/fixtures'));
    for (const name of readdirSync(root).filter((each) => !left.includes(each))) {
      cpSync(join(root, name), join(this.path, name), { recursive: true, preserveTimestamps: true, filter });
    }
    // A link for each: the packages of the tree itself are those of the copy.
    const packages = join(this.path, 'node_modules');
    mkdirSync(packages);
    for (const name of readdirSync(join(root, 'node_modules'))) {
      const own = workspaces.find(([workspace]) => workspace === name);
      symlinkSync(own ? join('..', own[1]) : join(root, 'node_modules', name), join(packages, name));
    }
  }

  /**
   * Applies a patch as git writes it. Errors: an Error that names the first file that is not as the patch expects it.
   */
  apply(patch: string): void {
    for (const file of parsePatch(patch)) {
      const path = join(this.path, pathIn(file));
      if (existsSync(path) === (file.isCreate === true))
        throw new Error(`${pathIn(file)} is there, or is not, unexpectedly.`);
      const changed = applyPatch(file.isCreate ? '' : readFileSync(path, 'utf8'), file);
      if (changed === false) throw new Error(`The patch does not apply to ${pathIn(file)}.`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, changed);
    }
  }

  /** Returns what the program printed. Errors: what it printed, when it fails. */
  run(program: string, ...args: string[]): string {
    const { NODE_OPTIONS: _, ...env } = process.env;
    // TypeScript, which is written in Go, ends before it would have to collect garbage.
    const added = { NO_COLOR: '1', GOGC: 'off' };
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.path,
      encoding: 'utf8',
      env: { ...env, ...added },
    });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
    return stdout + stderr;
  }

  node(...args: string[]): string {
    return this.run(process.execPath, ...args);
  }

  /** Builds it, writes what follows from its sources, and checks the types of all. */
  compile(): void {
    this.node('--import', './bin/typescript.js', 'bin/generate/picture-formats.js');
    this.node('bin/build.js', '--if-needed');
    this.node('bin/openapi.js');
    const types = join(this.path, 'sdk/src/api-types.ts');
    const { atime, mtime } = statSync(types);
    this.node(
      'node_modules/openapi-typescript/bin/cli.js',
      'openapi.json',
      '-o',
      types,
      '--default-non-nullable=false',
    );
    // Nothing that runs has types: what was built is not older than they are.
    utimesSync(types, atime, mtime);
    this.checkTypes('-p', 'tsconfig.test.json');
  }

  /** By one thread: several check twice what they share, and others need the processors. */
  checkTypes(...args: string[]): void {
    this.node('node_modules/@typescript/native/bin/tsc', '--noEmit', '--singleThreaded', ...args);
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

/** The path of a patched file from the root of the tree. */
export function pathIn({ newFileName = '' }: { readonly newFileName?: string | undefined }): string {
  return newFileName.replace(/^b\//, '');
}
