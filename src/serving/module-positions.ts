import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** In any folder, with spaces or not: code that was compiled by the build names the one of the build, which may have been moved since. */
const FRAME = /(?:[A-Za-z]:)?[\\/][^()\n]*[\\/]dist[\\/]program[\\/]([\w.-]+\.js):(\d+):(\d+)/g;
const PROGRAM = new URL('../program/', import.meta.url);

/**
 * Stack traces of the bundled program, with each of our functions at its place in the module that it was bundled from. The maps are read
 * when a trace needs them: few ever do, and Node's own option for it reads them at every start.
 */
export class ModulePositions {
  readonly #maps = new Map<string, SourceMap>();

  /** Positions that no map knows, those of packages among them, stay as they are. */
  inStack(stack: string): string {
    return stack.replace(FRAME, (frame: string, file: string, line: string, column: string) => {
      const entry = this.#mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (entry === undefined || !('originalSource' in entry)) return frame;
      const module = new URL(entry.originalSource, PROGRAM).href;
      return `${module}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
  }

  #mapOf(file: string): SourceMap | undefined {
    const known = this.#maps.get(file);
    if (known !== undefined) return known;
    try {
      const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`, PROGRAM), 'utf8')));
      this.#maps.set(file, map);
      return map;
    } catch {
      // A trace at the bundle's positions is better than none.
      return undefined;
    }
  }
}
