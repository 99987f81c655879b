// Starts an existing cluster the way of systems without a shell, twice over as after a kill, and stops it. Argument: DATA_DIR.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { findBinaries } from './node_modules/photo-service-postgres/dist/binaries.js';
import { settingArguments } from './node_modules/photo-service-postgres/dist/options.js';
import { freeLoopbackPort, startByPgCtl } from './node_modules/photo-service-postgres/dist/server-process.js';

const alive = setInterval(() => undefined, 1000); // watching the server keeps no process alive
const [dataDir] = process.argv.slice(2);
const settings = settingArguments({ label: 'photo-service', settings: {} });
const start = (port) =>
  startByPgCtl(findBinaries(), join(dataDir, 'pg18'), join(dataDir, 'postgres.log'), settings, port);
await start(await freeLoopbackPort());
const port = await freeLoopbackPort();
const server = await start(port);
const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim();
const client = new pg.Client({ host: '127.0.0.1', port, user: 'photo_service', database: 'photo_service', password });
await client.connect();
const { rows } = await client.query('SELECT inet_server_addr()::text AS address');
await client.end();
await server.stop();
process.stdout.write(JSON.stringify({ address: rows[0].address, gone: await server.gone }));
clearInterval(alive);
