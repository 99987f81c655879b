import { Controller, Get, Inject, Query } from '@nestjs/common';
import { listAudit } from '../../../core/audit/read-audit.js';
import type { Ports } from '../../../core/ports.js';
import { For } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { oneOfQuery } from '../address.js';
import { page } from '../page.js';
import { personOf, type Visit, Visiting } from '../visit.js';
import { AuditPage } from './audit.view.js';

const PAGE = 50;

/** Who changed what. */
@Controller('settings/audit')
export class AuditController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('owner')
  async show(@Visiting() visit: Visit, @Query('cursor') asked: unknown): Promise<Reply> {
    const cursor = oneOfQuery(asked);
    const { id: customerId } = personOf(visit).customer;
    const entries = await listAudit(this.ports, customerId, { limit: PAGE, cursor: cursor || null });
    const words = { title: 'Audit log', section: 'usage', styles: ['areas.css'] };
    return page(this.ports, visit, words, <AuditPage page={entries} cursor={cursor} />);
  }
}
