// Bare node:http that streams one file to everybody.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);
const { size } = statSync(file);

createServer((_, response) => {
  response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': size });
  createReadStream(file).pipe(response);
}).listen(Number(port), '127.0.0.1');
