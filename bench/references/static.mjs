// Bare node:http that answers everything with the same 15 kB of JSON: what every ratio is a ratio to.
import { createServer } from 'node:http';

const item = { id: 1234567, filename: 'IMG_0001.jpg', title: 'A title of usual length', width: 4032, height: 3024 };
const body = Buffer.from(JSON.stringify({ data: Array(150).fill(item) }).slice(0, 15_000));

createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}).listen(Number(process.argv[2]), '127.0.0.1');
