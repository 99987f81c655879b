// Bare Express and pg, without keys, budgets or validation: /page answers 50 rows of one prepared query, /row one row.
// DATABASE, as JSON, is what pg takes for a configuration. PROCESSES above 1 answer by node:cluster, as the service's do.
import cluster from 'node:cluster';
import express from 'express';
import pg from 'pg';

const processes = Number(process.env.PROCESSES ?? 1);

const pool = new pg.Pool({ ...JSON.parse(process.env.DATABASE), max: 10 });
const columns = `id, filename, content_type, size_bytes, width, height, orientation, sha256, title, description, taken_at,
  time_zone, latitude, longitude, rating, camera, exposure, import_id, created_at, updated_at, version`;
const page = {
  name: 'page',
  text: `SELECT ${columns} FROM photos WHERE customer_id = $1 ORDER BY created_at DESC, id DESC LIMIT 50`,
};
const row = { name: 'row', text: `SELECT ${columns} FROM photos WHERE customer_id = $1 AND id = $2` };

const app = express();
app.get('/page', async (_, response) => {
  response.json({ data: (await pool.query({ ...page, values: [1] })).rows });
});
app.get('/row/:id', async (request, response) => {
  response.json((await pool.query({ ...row, values: [1, request.params.id] })).rows[0]);
});
if (processes === 1 || cluster.isWorker) app.listen(Number(process.argv[2]), '127.0.0.1');
else for (let number = 0; number < processes; number += 1) cluster.fork();
