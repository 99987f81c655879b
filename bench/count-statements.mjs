// Loaded into a service before the program: counts the statements that it sends to Postgres, and writes their number into STATEMENTS_FILE at each
// SIGUSR2. By the messages of the protocol (PostgreSQL manual, 53.7): Execute, and Query for those without parameters.
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';

const STARTUP = 196_608;
const connections = new WeakSet();
let count = 0;

const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...rest) {
  if (Buffer.isBuffer(data)) {
    if (data.length >= 8 && data.readInt32BE(4) === STARTUP) connections.add(this);
    else if (connections.has(this)) countIn(data);
  }
  return write.call(this, data, ...rest);
};

function countIn(messages) {
  for (let at = 0; at + 5 <= messages.length; at += 1 + messages.readInt32BE(at + 1)) {
    if ('EQ'.includes(String.fromCharCode(messages[at]))) count += 1;
  }
}

process.on('SIGUSR2', () => writeFileSync(process.env.STATEMENTS_FILE, String(count)));
