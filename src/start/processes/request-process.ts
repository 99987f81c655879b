// The program of a request process: it does what the primary process calls for.
import { ipcChannel, Rpc } from '../../adapters/primary-process/rpc.js';
import { RequestServer } from './request-server.js';

const primary = new Rpc(ipcChannel(process));
// Terminals and service managers signal all processes of a service: the primary decides when to stop.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
primary.serve(new RequestServer(primary).methods);
// Earlier messages are lost: a process of a cluster listens to its channel before its program does.
primary.call('loaded', null);
