// Bare Express that receives a file, hashes and writes it, syncs it and its folder, and inserts one row by pg. DATABASE, as JSON, is what pg takes
// for a configuration.
import { createHash, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import pg from 'pg';

const [port, folder] = process.argv.slice(2);
const pool = new pg.Pool({ ...JSON.parse(process.env.DATABASE), max: 10 });
await pool.query(
  'CREATE TABLE bench_uploads (name text PRIMARY KEY, size_bytes bigint NOT NULL, sha256 text NOT NULL)',
);
const insert = { name: 'insert', text: 'INSERT INTO bench_uploads VALUES ($1, $2, $3)' };

const app = express();
app.get('/', (_, response) => response.end());
app.put('/', async (request, response) => {
  const [name, hash] = [randomUUID(), createHash('sha256')];
  const file = await open(join(folder, name), 'wx');
  let size = 0;
  for await (const chunk of request) {
    hash.update(chunk);
    size += chunk.length;
    await file.write(chunk);
  }
  await file.sync();
  await file.close();
  const entries = await open(folder);
  await entries.sync();
  await entries.close();
  await pool.query({ ...insert, values: [name, size, hash.digest('hex')] });
  response.status(204).end();
});
app.listen(Number(port), '127.0.0.1');
