// Holds a data folder's database until told to stop. Arguments: DATA_DIR MODE; answers in JSON lines, one per event.
import { openEmbeddedPostgres } from './adapter/embedded-postgres.js';

const [dataDir, mode] = process.argv.slice(2);
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

try {
  const database = await openEmbeddedPostgres(dataDir, mode, (line) => say({ logged: line }));
  void database.ended.then((reason) => say({ ended: reason }));
  say({ opened: database.connection });
  process.stdin.resume().on('data', async () => {
    await database.stop();
    say({ stopped: true });
    process.exit(0);
  });
  process.stdin.on('end', () => process.exit(0));
} catch (error) {
  say({ refused: error.name, message: error.message });
}
