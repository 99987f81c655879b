import { Controller, Get, Inject } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { readCustomer } from '../../../core/customers/edit-customer.js';
import type { Ports } from '../../../core/ports.js';
import { RequireScope } from '../../access.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { ifNoneMatchHeader } from '../../openapi/parameters.js';
import { PORTS } from '../../ports-token.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../../server/current-caller.js';
import { CustomerView, customerView } from './customer.view.js';

@Controller('api/v1/customer')
@DocumentTag('Account')
export class CustomerController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getCustomer',
    summary: 'Retrieve the account',
    description: "Returns the account's usage and limits, and the formats that this installation accepts.",
    headers: [ifNoneMatchHeader],
    answers: {
      200: { description: 'The account.', body: CustomerView, headers: ['ETag'] },
      304: { description: 'The account has not changed.', headers: ['ETag'] },
    },
  })
  @RequireScope('customer:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller) {
    return customerView(this.ports, await readCustomer(this.ports, caller));
  }
}
