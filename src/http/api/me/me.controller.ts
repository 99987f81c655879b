import { Controller, Get, Header, Inject } from '@nestjs/common';
import { keyBudget } from '../../../core/access/rolling-window.js';
import { readCustomer } from '../../../core/customers/read-customer.js';
import type { Ports } from '../../../core/ports.js';
import { chargedTo, type Exchange, knownKeyOf } from '../../exchange.js';
import { PORTS } from '../../ports-token.js';
import { Needs } from '../access.js';
import { ThisExchange } from '../calling.js';
import { customerView } from '../customer/customer.view.js';
import { meView } from './me.view.js';

@Controller('api/v1/me')
export class MeController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Needs('customer:read')
  @Header('Cache-Control', 'no-store')
  async read(@ThisExchange() exchange: Exchange) {
    const { key } = knownKeyOf(exchange);
    return meView({
      customer: customerView(this.ports, await readCustomer(this.ports, key)),
      key,
      read: chargedTo(exchange),
      write: await this.ports.rateWindows.peek(keyBudget(key, 'write')),
      clientIp: exchange.clientIp,
      now: this.ports.clock.now(),
    });
  }
}
