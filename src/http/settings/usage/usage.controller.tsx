import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { parseId } from '../../../core/shared/ids.js';
import { readTraffic } from '../../../core/traffic/read-traffic.js';
import { mayActAs } from '../../../core/users/user.js';
import { For } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { oneOfQuery } from '../address.js';
import { page } from '../page.js';
import { personOf, type Visit, Visiting } from '../visit.js';
import { UsagePage } from './usage.view.js';

/** What an account holds, and what its keys ask for. */
@Controller('settings/usage')
export class UsageController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  async show(@Visiting() visit: Visit, @Query('key') query: unknown): Promise<Reply> {
    const { customer, user } = personOf(visit);
    const traffic = await readTraffic(this.ports, customer.id);
    const words = { title: 'Usage', section: 'usage', styles: ['areas.css'] };
    const seesAudit = mayActAs(user.role, 'owner');
    const content = <UsagePage traffic={traffic} keyId={parseId(oneOfQuery(query))} seesAudit={seesAudit} />;
    return page(this.ports, visit, words, content);
  }
}
