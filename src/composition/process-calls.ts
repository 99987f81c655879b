// What the processes of one service call each other with.
export { ipcChannel } from '../adapters/processes/channel.js';
export { type Methods, Rpc } from '../adapters/processes/rpc.js';
