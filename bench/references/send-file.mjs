// Bare Express that sends one file by res.sendFile, without keys or a database.
import express from 'express';

const [port, file] = process.argv.slice(2);
const app = express();
app.get('/', (_, response) => response.sendFile(file));
app.listen(Number(port), '127.0.0.1');
