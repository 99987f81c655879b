import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtProgram } from './built-program.js';
import { childChannel } from './hostile-child.js';

/** What a child does with a file, by the file's SHA-256, before it would look at it. `slow`: takes a moment more. */
export type Fault = 'abort' | 'hang' | 'grow' | 'slow';

/**
 * A script for children that is the real one, but for its faults: no picture is known that brings this decoder down, so one is chosen
 * that does. Every job writes `begin HASH` and `end HASH` to the file `log` of the folder; a child that dies writes no end.
 */
export async function faultyChild(folder: string, faults: Readonly<Record<string, Fault>>): Promise<string> {
  const script = join(folder, 'faulty-child.mjs');
  // As the service starts it: packed, which takes half the time.
  const packed = join(await builtProgram(), 'program');
  await writeFile(
    script,
    `import { createHash } from 'node:crypto';
    import { appendFileSync, readFileSync } from 'node:fs';
    import { createRequire } from 'node:module';
    const faults = ${JSON.stringify(faults)};
    const act = {
      abort: () => process.abort(),
      hang: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
      grow: () => { for (const held = []; ; held.push(Buffer.alloc(16 * 1024 * 1024, 1))); },
      slow: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300),
    };
    const log = (line) => appendFileSync(${JSON.stringify(join(folder, 'log'))}, line + '\\n');
    const load = createRequire(${JSON.stringify(join(packed, 'media-child.js'))});
    const { doJob } = load('./media-child.js');
    const { MetadataReader } = load('./metadata-thread.js');
    const metadata = new MetadataReader(Number(process.argv[2]));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
    // A fault stops the thread that reads the channel.
    await metadata.watchParent();
    ${childChannel}
    onJob(async (job, bytes) => {
      const hash = createHash('sha256').update(job.path === null ? bytes : readFileSync(job.path)).digest('hex');
      log('begin ' + hash);
      act[faults[hash]]?.();
      const done = await doJob(job, bytes, metadata);
      log('end ' + hash);
      answer(done.json, done.bytes);
    });`,
  );
  return script;
}
