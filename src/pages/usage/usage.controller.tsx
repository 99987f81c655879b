import { Controller, Get, Query } from '@nestjs/common';
import { readImageDelivery } from '../../core/delivery/delivery-key.js';
import { parseId } from '../../core/shared/ids.js';
import { readTraffic } from '../../core/traffic/read-traffic.js';
import { mayActAs } from '../../core/users/user.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { PageController } from '../page.js';
import { CurrentPageContext, InNavigation, type PageContext, personOf } from '../page-context.js';
import { UsagePage } from './usage.view.js';

/** The page about what an account holds, and what its keys ask for. */
@Controller('settings/usage')
export class UsageController extends PageController {
  @Get()
  @InNavigation('Usage', 60)
  @RequireRole('viewer')
  async show(@CurrentPageContext() context: PageContext, @Query('key') query: unknown): Promise<Reply> {
    const { customer, user } = personOf(context);
    const traffic = await readTraffic(this.ports, customer.id);
    const delivery = await readImageDelivery(this.ports, customer.id);
    const options = { title: 'Usage', section: 'usage', styles: ['areas.css'] };
    const seesAudit = mayActAs(user.role, 'admin');
    const keyId = parseId(oneOfQuery(query));
    const content = <UsagePage traffic={traffic} delivery={delivery} keyId={keyId} seesAudit={seesAudit} />;
    return this.render(context, options, content);
  }
}
