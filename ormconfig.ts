import { DataSource } from 'typeorm';
import { migrationOptions } from './src/adapters/typeorm/data-source.js';

/** For the commands of TypeORM (`typeorm migration:show -d …`). The service runs pending migrations itself when it starts. */
export default new DataSource(migrationOptions({ url: process.env.DATABASE_URL }));
