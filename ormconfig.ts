import { DataSource } from 'typeorm';
import { migrationOptions } from './src/adapters/typeorm/data-source.js';
import { blobStores } from './src/composition/blob-stores.js';
import { readSettings } from './src/config/settings-file.js';

const url = readSettings(process.env, process.cwd(), blobStores).env['DATABASE_URL'];
// Without one, pg would look for a server of its own choice.
if (!url) throw new Error('Set DATABASE_URL. The embedded database is brought up to date by phs migrate.');

/** For TypeORM's own command: `npm run typeorm -- migration:show -d ormconfig.ts`. The service runs pending migrations itself when it starts. */
export default new DataSource(migrationOptions({ url }));
