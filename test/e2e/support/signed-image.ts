import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../../src/adapters/embedded-postgres.js';
import { SystemClock } from '../../../src/adapters/system-clock.js';
import { TypeormCustomerStore } from '../../../src/adapters/typeorm/customer-store.js';
import { openDataSource } from '../../../src/adapters/typeorm/data-source.js';
import { commandLine } from '../../../src/core/audit/audit-entry.js';
import { createDeliveryKey } from '../../../src/core/delivery/delivery-key.js';
import { deliverySignature } from '../../../src/core/delivery/signed-address.js';
import { urlOf } from '../../support/postgres.js';
import type { Installation } from './service.js';

export interface SignerOptions {
  /** The first by default. */
  readonly customerId?: number;
  /** The DATABASE_URL of the installation; without it, it has a database of its own, and runs. */
  readonly databaseUrl?: string;
}

/** Signs addresses with a delivery key. */
export class ImageSigner {
  private constructor(
    private readonly publicId: string,
    private readonly secret: string,
  ) {}

  static async of(
    { dataDir }: Pick<Installation, 'dataDir'>,
    { customerId = 1, databaseUrl }: SignerOptions = {},
  ): Promise<ImageSigner> {
    const postgres = databaseUrl === undefined ? await openEmbeddedPostgres(dataDir, 'share') : null;
    const source = await openDataSource({ url: databaseUrl ?? urlOf({ connection: postgres?.connection }) });
    try {
      const secrets = [readFileSync(join(dataDir, 'secret-key'), 'utf8').trim()] as const;
      const uses = {
        store: new TypeormCustomerStore(source),
        clock: new SystemClock(),
        secrets: [...secrets] as [string],
      };
      const owner = { customerId, actor: commandLine };
      const { key, secret } = await createDeliveryKey(uses, owner, {
        name: 'site',
        presetsOnly: false,
        expiresAt: null,
      });
      return new ImageSigner(key.publicId, secret);
    } finally {
      await source.destroy();
      await postgres?.stop();
    }
  }

  /** Path and query of a signed address. @param exp Unix time in seconds; 0: none. */
  path(photoId: number, options: string, exp = 0): string {
    const signed = `/img/${this.publicId}/${photoId}/${options}${exp ? `?exp=${exp}` : ''}`;
    return `${signed}${exp ? '&' : '?'}sig=${deliverySignature(this.secret, signed)}`;
  }
}
