import { Controller, Get, Inject } from '@nestjs/common';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { type DailyUsage, readDailyUsage, type UsageReport } from '../../core/traffic/read-traffic.js';
import { RequireOperatorScope } from '../../http/access.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Count, Models, Text, WholeNumber } from '../../http/fields/fields.js';
import { PORTS } from '../../http/ports-token.js';
import { oneOf, Parameter, PathId } from '../../http/requests/parameters.js';
import { QuerySchema, ValidQuery } from '../../http/requests/read-request.js';
import { Reply } from '../../http/responses/reply.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { customerId } from './operator-caller.js';

export const usageFormats = ['json', 'csv'] as const;

class UsageQuery {
  @Parameter(oneOf(usageFormats), {
    description: 'The format of the response. CSV (RFC 4180) has the days only.',
    meanings: { json: 'JSON', csv: 'a header and a line for each day' },
    example: 'csv',
    default: 'json',
  })
  readonly format?: (typeof usageFormats)[number];
}

const Stored = (description: string, example: number) =>
  WholeNumber({
    description: `${description}, when they were last counted on this day. Null if they were not.`,
    example,
    min: 0,
    nullable: true,
  });

@ResponseModel('OperatorUsageDay', 'What an account used on one day.')
class OperatorUsageDayView {
  @Text({ description: 'The day, in UTC.', example: '2026-11-21', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })
  day: string;

  @Count('Requests with keys of the account.', 4210)
  requests: number;

  @Count('Of them: refused because a rate limit was reached.', 3)
  limited: number;

  @Count('Of them: refused for another reason, or failed.', 12)
  failed: number;

  @Count('Images delivered by signed URLs. What caches answered is not counted.', 90210)
  images: number;

  @Count('Bytes of these images.', 8120331882)
  imageBytes: number;

  @Count('Of these images: those that had to be made first.', 120)
  imagesMade: number;

  @Stored('Photos, including the trash', 815)
  photos: number | null;

  @Stored('Bytes of originals, including the trash', 6145525915)
  storageBytes: number | null;

  @Stored('Bytes of renditions and delivered images', 52183920)
  renditionBytes: number | null;

  @Count(
    'Bytes of requests, including their headers: with API keys, to signed URLs, of visitors of shares, and of the settings area. Refused requests count if they named the account. Files that clients send to an object store directly do not.',
    81203318,
  )
  receivedBytes: number;

  @Count(
    'Bytes of the responses to these requests, including their headers, as compressed as they were sent.',
    8150000000,
  )
  sentBytes: number;
}

@ResponseModel('OperatorUsage', 'What an account has now, and what it used in the last 30 days.')
class OperatorUsageView {
  @Count('Photos outside the trash.', 812)
  photos: number;

  @Count('Photos in the trash.', 3)
  trashedPhotos: number;

  @Count('Bytes of originals outside the trash.', 6120331882)
  storageBytes: number;

  @Count('Bytes of originals in the trash.', 25194033)
  trashedBytes: number;

  @Count('Bytes of renditions and delivered images, counted every 12 hours.', 52183920)
  renditionBytes: number;

  @Models(OperatorUsageDayView, { description: 'The last 30 days, oldest first, including those without requests.' })
  days: OperatorUsageDayView[];
}

const columns = [
  'day',
  'requests',
  'limited',
  'failed',
  'images',
  'imageBytes',
  'imagesMade',
  'photos',
  'storageBytes',
  'renditionBytes',
  'receivedBytes',
  'sentBytes',
] as const;

function dayView({ stored, ...counts }: DailyUsage): OperatorUsageDayView {
  const { day, requests, limited, failed, images, imageBytes, imagesMade, receivedBytes, sentBytes } = counts;
  const { photos = null, storageBytes = null, renditionBytes = null } = stored ?? {};
  const held = { photos, storageBytes, renditionBytes };
  return { day, requests, limited, failed, images, imageBytes, imagesMade, ...held, receivedBytes, sentBytes };
}

/** RFC 4180: numbers and dates need no quotes. What was not counted is empty. */
function usageCsv({ days }: UsageReport): string {
  const lines = [columns, ...days.map(dayView).map((usage) => columns.map((column) => usage[column]))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

const CSV = 'text/csv';

@DocumentTag('Usage', 'What accounts have and use.')
@PathParameters(customerId)
@Controller('operator/v1/customers/:customerId/usage')
export class OperatorUsageController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getUsage',
    summary: 'Retrieve the usage of an account',
    description:
      'Returns what the account has now, and its requests, delivered images, stored and transferred bytes by day. Requests and images are the sums of what its settings area shows by key, and transferred bytes the sums of its channels, a few seconds old; what is stored is counted every hour. All are kept for 30 days.',
    answers: {
      200: {
        description: 'The usage.',
        body: OperatorUsageView,
        headers: ['Content-Disposition'],
        content: { [CSV]: { schema: { type: 'string', description: 'A header and a line for each day.' } } },
      },
    },
  })
  @RequireOperatorScope('customers:read')
  @QuerySchema(UsageQuery)
  async read(@PathId('customerId') id: Id, @ValidQuery() { format }: UsageQuery) {
    const report = await readDailyUsage(this.ports, id);
    if (format !== 'csv') {
      const { photos, trashedPhotos, storageBytes, trashedBytes, renditionBytes } = report.usage;
      const days = report.days.map(dayView);
      return { photos, trashedPhotos, storageBytes, trashedBytes, renditionBytes, days } satisfies OperatorUsageView;
    }
    const name = `usage-${id}-${report.days.at(-1)?.day}.csv`;
    const headers = {
      'Content-Type': `${CSV}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    };
    return new Reply(200, usageCsv(report), headers);
  }
}
