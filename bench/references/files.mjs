// Bare node:http that streams files to everybody, one after the other.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, ...paths] = process.argv.slice(2);
const files = paths.map((path) => ({ path, size: statSync(path).size }));
let next = 0;

createServer((_, response) => {
  const { path, size } = files[next++ % files.length];
  response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': size });
  createReadStream(path).pipe(response);
}).listen(Number(port), '127.0.0.1');
