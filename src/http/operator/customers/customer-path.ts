import { pathId } from '../../openapi/parameters.js';

/** In the path of everything that belongs to an account. */
export const customerId = pathId('customerId', 'account', 1);
