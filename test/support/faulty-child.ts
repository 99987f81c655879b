import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtProgram } from './built-program.js';

/** What a child does with a file, by the file's SHA-256, before it would look at it. `slow`: takes a moment more. */
export type Fault = 'abort' | 'hang' | 'grow' | 'slow';

/**
 * A script for children that is the real one, but for its faults: no picture is known that brings this decoder down, so one is chosen
 * that does. Every job writes `begin HASH` and `end HASH` to the file `log` of the folder; a child that dies writes no end.
 */
export async function faultyChild(folder: string, faults: Readonly<Record<string, Fault>>): Promise<string> {
  const script = join(folder, 'faulty-child.mjs');
  const media = join(await builtProgram(), 'adapters/media');
  const module = (name: string) => pathToFileURL(join(media, name)).href;
  await writeFile(
    script,
    `import { createHash } from 'node:crypto';
    import { appendFileSync, readFileSync } from 'node:fs';
    const faults = ${JSON.stringify(faults)};
    const act = {
      abort: () => process.abort(),
      hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
      grow: () => { for (const held = []; ; held.push(Buffer.alloc(16 * 1024 * 1024, 1))); },
      slow: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300),
    };
    const log = (line) => appendFileSync(${JSON.stringify(join(folder, 'log'))}, line + '\\n');
    const { answerJobs } = await import(${JSON.stringify(module('media-channel.js'))});
    const { doJob } = await import(${JSON.stringify(module('media-child.js'))});
    const { MetadataReader } = await import(${JSON.stringify(module('metadata-thread.js'))});
    const metadata = new MetadataReader(Number(process.argv[2]));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    // A fault stops the thread that reads the channel.
    await metadata.watchParent();
    answerJobs(async (job, bytes) => {
      const hash = createHash('sha256').update(job.path === null ? bytes : readFileSync(job.path)).digest('hex');
      log('begin ' + hash);
      act[faults[hash]]?.();
      const answer = await doJob(job, bytes, metadata);
      log('end ' + hash);
      return answer;
    });`,
  );
  return script;
}
