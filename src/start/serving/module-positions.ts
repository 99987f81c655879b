import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** At the end of a path: code that was compiled by the build names the folder of the build, which may have been moved since. */
const FRAME = /[\\/]dist[\\/]program[\\/]([\w.-]{1,100}\.js):(\d{1,9}):(\d{1,9})/;
const PROGRAM = new URL('../../program/', import.meta.url);

/**
 * Stack traces of the bundled program, with each of our functions at its place in the module that it was bundled from. The maps are read
 * when a trace needs them: few ever do, and Node's own option for it reads them at every start.
 */
export class ModulePositions {
  readonly #maps = new Map<string, SourceMap>();

  /** Positions that no map knows, those of packages among them, stay as they are. */
  inStack(stack: string): string {
    return stack
      .split('\n')
      .map((frame) => this.#inFrame(frame))
      .join('\n');
  }

  #inFrame(frame: string): string {
    const found = FRAME.exec(frame);
    if (found === null) return frame;
    const [end, file = '', line, column] = found;
    const entry = this.#mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return frame;
    const module = new URL(entry.originalSource, PROGRAM).href;
    const before = frame.slice(0, pathStart(frame.slice(0, found.index + 1)));
    const after = frame.slice(found.index + end.length);
    return `${before}${module}:${entry.originalLine + 1}:${entry.originalColumn + 1}${after}`;
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

/** Where a path begins that is the end of the text, in a folder with spaces or not. */
function pathStart(text: string): number {
  const opened = Math.max(text.lastIndexOf('('), text.lastIndexOf(')')) + 1;
  const slash = opened + text.slice(opened).search(/[\\/]/);
  return /^[A-Za-z]:$/.test(text.slice(slash - 2, slash)) ? slash - 2 : slash;
}
