/**
 * Runs command lines of the built program one after another in this process, each with an environment of its own: what takes most
 * of the time of a short command is the start of its process. Asked by operator.ts, and by nothing else.
 */
import program from '../../../dist/program/phs.js';

const said = { stdout: '', stderr: '' };
for (const stream of ['stdout', 'stderr']) {
  process[stream].write = (chunk) => {
    said[stream] += chunk;
    return true;
  };
}
process.on('message', async ({ args, env }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.assign(said, { stdout: '', stderr: '' });
  const status = await program.run(args);
  // Each run adds its own.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.send({ status, ...said });
});
// Its worker has ended; a command may have left a connection open.
process.on('disconnect', () => process.exit());
