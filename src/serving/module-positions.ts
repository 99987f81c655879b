import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const FRAME = /(file:\/\/[^\s()]+\/dist\/program\/[\w.-]+\.js):(\d+):(\d+)/g;

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
      const module = new URL(entry.originalSource, file).href;
      return `${module}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
  }

  #mapOf(file: string): SourceMap | undefined {
    const known = this.#maps.get(file);
    if (known !== undefined) return known;
    try {
      const map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
      this.#maps.set(file, map);
      return map;
    } catch {
      // A trace at the bundle's positions is better than none.
      return undefined;
    }
  }
}
