// What the processes of one service find and call each other with.
export { START_TIME, statFields } from '../adapters/proc-stat.js';
export { ipcChannel } from '../adapters/processes/channel.js';
export { type Methods, Rpc } from '../adapters/processes/rpc.js';
