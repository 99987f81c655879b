import type { DataSource } from 'typeorm';
import { clientConfig, withClient } from './connection.js';
import { statementError } from './database-errors.js';

type Ask = <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;

/**
 * Runs queries on a separate connection, without the time limits of requests: counting millions takes as long as it takes. Errors:
 * `service_unavailable`.
 */
export async function withoutLimits<T>(dataSource: DataSource, work: (ask: Ask) => Promise<T>): Promise<T> {
  const config = { ...clientConfig(dataSource), statement_timeout: 0, query_timeout: 0 };
  try {
    return await withClient(config, (client) =>
      work(async (sql, parameters) => (await client.query(sql, parameters)).rows),
    );
  } catch (error) {
    throw statementError(error);
  }
}
