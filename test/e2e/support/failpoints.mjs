// Loaded before the built program by tests, and by nothing else (NODE_OPTIONS=--import). Every step that changes something gets a name: the use
// case that takes it, and the port's method, as in `declared-bytes:storeDeclaredBytes/blobs.put`.
//   FAILPOINT=name        kill -9 of this very process, right after that step took effect: before anybody is told of it.
//   FAILPOINTS_SEEN=file  collects the names of all steps that are taken.
// The program runs as the modules that its bundle is made of: their classes can be reached, and their files say which use case is under way.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { LocalBlobStore } from '../../../dist/adapters/local-blobs/local-blob-store.js';
import { TypeormCustomerDirectory } from '../../../dist/adapters/typeorm/customers/customer.repository.js';
import { TypeormCustomerStore } from '../../../dist/adapters/typeorm/customers/customer-store.js';

register('./modules-hooks.mjs', import.meta.url);
const { FAILPOINT, FAILPOINTS_SEEN } = process.env;
const seen = new Set();
Error.stackTraceLimit = 40;

watch(LocalBlobStore.prototype, 'blobs', ['put', 'copy', 'delete']);
watch(TypeormCustomerDirectory.prototype, 'customers', ['removeRows', 'remove']);
watch(TypeormCustomerStore.prototype, 'store', ['transaction']);

function watch(port, portName, methods) {
  for (const method of methods) {
    const act = port[method];
    port[method] = async function (...given) {
      const name = `${useCase(new Error().stack)}/${portName}.${method}`;
      const answer = await act.apply(this, given);
      reached(name);
      return answer;
    };
  }
}

/** The innermost named function of core that is under way; where there is none, of http. */
function useCase(stack) {
  const inCore = /at (?:async )?(\w+) \(\S*\/dist\/core\/[\w-]+\/([\w-]+)\.js/.exec(stack);
  const frame = inCore ?? /at (?:async )?(?:\w+\.)?(\w+) \(\S*\/dist\/http\/(?:[\w-]+\/)+([\w-]+)\.js/.exec(stack);
  return frame ? `${frame[2]}:${frame[1]}` : 'unknown';
}

function reached(name) {
  if (FAILPOINTS_SEEN && !seen.has(name)) {
    seen.add(name);
    appendFileSync(FAILPOINTS_SEEN, `${name}\n`);
  }
  if (name === FAILPOINT) process.kill(process.pid, 'SIGKILL');
}
