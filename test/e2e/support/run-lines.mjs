/**
 * Runs command lines of the built program one after another in this process, in the folder and with the environment that it was started
 * with: what takes most of the time of a short command is the start of its process. Prints a JSON list of what each line did.
 */
import program from '../../../dist/program/phs.js';

const toOurs = process.stdout.write.bind(process.stdout);
let said = { stdout: '', stderr: '' };
for (const stream of ['stdout', 'stderr']) {
  process[stream].write = (chunk) => {
    said[stream] += chunk;
    return true;
  };
}
const results = [];
for (const line of process.argv.slice(2)) {
  said = { stdout: '', stderr: '' };
  const status = await program.run(line.split(' '));
  results.push({ line, status, ...said });
}
toOurs(JSON.stringify(results));
