import { Controller, Get, Inject, Module } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import type { Ports } from '../../core/ports.js';
import { RequireScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { WithETag } from '../../http/responses/reply.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Documented, DocumentTag } from '../openapi/operation.js';
import { CustomerView, customerView } from './customer.view.js';

@Controller('api/v1/customer')
@DocumentTag('Account')
class CustomerController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getCustomer',
    summary: 'Retrieve the account',
    description: "Returns the account's usage and limits, and the formats that this installation accepts.",
    answers: {
      200: { description: 'The account.', body: CustomerView },
    },
  })
  @RequireScope('customer:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller) {
    return customerView(this.ports, await readCustomer(this.ports, caller));
  }
}

@Module({ controllers: [CustomerController] })
export class CustomerModule {}
