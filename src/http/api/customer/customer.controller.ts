import { Controller, Get, Inject } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { readCustomer } from '../../../core/customers/read-customer.js';
import type { Ports } from '../../../core/ports.js';
import { RequireScope } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../current-caller.js';
import { customerView } from './customer.view.js';

@Controller('api/v1/customer')
export class CustomerController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireScope('customer:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller) {
    return customerView(this.ports, await readCustomer(this.ports, caller));
  }
}
