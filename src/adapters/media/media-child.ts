import { answerJobs } from './media-channel.js';
import { doJob, type SentJob } from './media-job.js';
import { MetadataReader } from './metadata-thread.js';
import { restrictSharp } from './scaled-picture.js';

/**
 * A child process that decodes untrusted pictures. It holds no secret, and its end affects no other process. Its argument is the process id
 * of its parent.
 */

restrictSharp();

const metadata = new MetadataReader(Number(process.argv[2]));

// The parent ends this process. Signals from a terminal or a supervisor to the whole group are for the parent, which may still be waiting
// for a result.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

answerJobs<SentJob>((job, bytes) => doJob(job, bytes, metadata));
