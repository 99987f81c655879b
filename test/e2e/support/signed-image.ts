import { deliverySignature } from '../../../src/core/delivery/signed-address.js';
import type { Installation } from './service.js';

/** Signs addresses with a delivery key. */
export class ImageSigner {
  private constructor(
    private readonly publicId: string,
    private readonly secret: string,
  ) {}

  /** With a new key: of the first customer by default. */
  static async of(installation: Installation, { customerId = 1 } = {}): Promise<ImageSigner> {
    const owner = ['--customer', String(customerId), '--name', 'site', '--json'];
    const { status, stdout, stderr } = await installation.operate('delivery-key', 'create', ...owner);
    if (status !== 0) throw new Error(`no delivery key could be made: ${stderr}`);
    const { id, secret } = JSON.parse(stdout);
    return new ImageSigner(id, secret);
  }

  /** Path and query of a signed address. @param exp Unix time in seconds; 0: none. */
  path(photoId: number, options: string, exp = 0): string {
    const signed = `/img/${this.publicId}/${photoId}/${options}${exp ? `?exp=${exp}` : ''}`;
    return `${signed}${exp ? '&' : '?'}sig=${deliverySignature(this.secret, signed)}`;
  }
}
