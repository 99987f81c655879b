import { Controller, Get, Inject } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { readDailyUsage } from '../../../core/traffic/read-traffic.js';
import { RequireOperatorScope } from '../../access.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { QuerySchema, ValidQuery } from '../../requests/read-request.js';
import { Reply } from '../../responses/reply.js';
import { customerId } from '../customers/customer-path.js';
import { OperatorUsageView, operatorUsageView, UsageQuery, usageCsv } from './operator-usage.view.js';

const CSV = 'text/csv';

@DocumentTag('Usage', 'What accounts have and use.')
@Controller('operator/v1/customers/:customerId/usage')
export class OperatorUsageController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getUsage',
    summary: 'Retrieve the usage of an account',
    description:
      'Returns what the account has now, and its requests, delivered images, stored and transferred bytes by day. Requests and images are the sums of what its settings area shows by key, and transferred bytes the sums of its channels, a few seconds old; what is stored is counted every hour. All are kept for 30 days.',
    path: [customerId],
    answers: {
      200: {
        description: 'The usage.',
        body: OperatorUsageView,
        headers: ['Content-Disposition'],
        content: { [CSV]: { schema: { type: 'string', description: 'A header and a line for each day.' } } },
      },
    },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:read')
  @QuerySchema(UsageQuery)
  async read(@PathId('customerId') id: Id, @ValidQuery() { format }: UsageQuery) {
    const report = await readDailyUsage(this.ports, id);
    if (format !== 'csv') return operatorUsageView(report);
    const name = `usage-${id}-${report.days.at(-1)?.day}.csv`;
    const headers = {
      'Content-Type': `${CSV}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    };
    return new Reply(200, usageCsv(report), headers);
  }
}
