import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChildProcessMediaReader,
  type MediaReaderOptions,
} from '../../src/adapters/media/child-process-media-reader.js';
import { builtProgram } from './built-program.js';

export interface OpenMedia {
  readonly reader: ChildProcessMediaReader;
  readonly scratchDir: string;
  close(): Promise<void>;
}

/**
 * The reader on real child processes, which run the built program, with a scratch folder of its own; not isolated unless it is asked to
 * be. It gets some processor time even while other tests use all of it.
 */
export async function openMedia(options: Partial<MediaReaderOptions> = {}): Promise<OpenMedia> {
  const scratchDir = await mkdtemp(join(tmpdir(), 'phs-media-'));
  const program = await builtProgram();
  const childScript = join(program, 'program/media-child.js');
  const own = { scratchDir, childScript, childFiles: [program], isolation: 'process', priority: 'low' } as const;
  const reader = new ChildProcessMediaReader({ ...own, ...options });
  const close = async () => {
    await reader.close();
    await rm(scratchDir, { recursive: true, force: true });
  };
  return { reader, scratchDir, close };
}

export async function* bytesOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
