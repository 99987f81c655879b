// Starts an existing cluster the way of systems without a shell, twice over as after a kill, and stops it. Argument: DATA_DIR.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findBinaries } from './adapter/binaries.js';
import { freeLoopbackPort, startByPgCtl } from './adapter/pg-ctl-server.js';
import { DATABASE, ROLE, settingArguments } from './adapter/settings.js';

const alive = setInterval(() => undefined, 1000); // watching the server keeps no process alive
const [dataDir] = process.argv.slice(2);
const start = (port) =>
  startByPgCtl(findBinaries(), join(dataDir, 'pg18'), join(dataDir, 'postgres.log'), settingArguments(), port);
await start(await freeLoopbackPort());
const port = await freeLoopbackPort();
const server = await start(port);
const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
const client = new pg.Client({ host: '127.0.0.1', port, user: ROLE, database: DATABASE, password });
await client.connect();
const { rows } = await client.query('SELECT inet_server_addr()::text AS address');
await client.end();
await server.stop();
process.stdout.write(JSON.stringify({ address: rows[0].address, gone: await server.gone }));
clearInterval(alive);
