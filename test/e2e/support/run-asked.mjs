/**
 * Runs command lines of the built program, or of a client that is installed, one after another in this process, each with an environment of
 * its own: what takes most of the time of a short command is the start of its process. Asked by operator.ts, and by nothing else.
 */
import { pathToFileURL } from 'node:url';
import program from '../../../dist/program/phs.js';

const said = { stdout: '', stderr: '' };
let runsOfClients = 0;
for (const stream of ['stdout', 'stderr']) {
  process[stream].isTTY = false;
  process[stream].write = (chunk) => {
    said[stream] += chunk;
    return true;
  };
}
process.on('message', async ({ args, env, client }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  Object.assign(said, { stdout: '', stderr: '' });
  const status = client === undefined ? await program.run(args) : await runClient(client, args);
  // Each run adds its own.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.send({ status, ...said });
});
// Its worker has ended; a command may have left a connection open.
process.on('disconnect', () => process.exit());

/** It runs when it is loaded, which it is anew by another name. */
async function runClient(file, args) {
  runsOfClients += 1;
  process.argv.splice(2, process.argv.length, ...args);
  await import(`${pathToFileURL(file)}?${runsOfClients}`);
  const { exitCode } = process;
  process.exitCode = undefined;
  return exitCode;
}
