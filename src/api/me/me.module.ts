import { Controller, Get, Header, Inject, Module } from '@nestjs/common';
import { keyBudget } from '../../core/access/rolling-window.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import type { Ports } from '../../core/ports.js';
import { RequireScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import {
  CurrentRequestContext,
  chargedTo,
  knownKeyOf,
  type RequestContext,
} from '../../http/server/request-context.js';
import { customerView } from '../customer/customer.view.js';
import { Documented, DocumentTag } from '../openapi/operation.js';
import { MeView, meView } from './me.view.js';

@Controller('api/v1/me')
@DocumentTag('Account', "The caller, and the account's usage and limits.")
class MeController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getMe',
    summary: 'Retrieve the caller',
    description:
      "Returns the account, the key, and what is left of the key's budgets. `rateLimit` has the same values as the response headers.",
    answers: { 200: { description: 'The account and the key.', body: MeView } },
  })
  @RequireScope('customer:read')
  @Header('Cache-Control', 'no-store')
  async read(@CurrentRequestContext() requestContext: RequestContext) {
    const { key } = knownKeyOf(requestContext);
    return meView({
      customer: customerView(this.ports, await readCustomer(this.ports, key)),
      key,
      read: chargedTo(requestContext),
      write: await this.ports.rateWindows.peek(keyBudget(key, 'write')),
      clientIp: requestContext.clientIp,
      now: this.ports.clock.now(),
    });
  }
}

@Module({ controllers: [MeController] })
export class MeModule {}
