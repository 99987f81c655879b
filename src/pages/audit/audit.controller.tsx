import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { AuditEntry } from '../../core/audit/audit-entry.js';
import { listAudit } from '../../core/audit/audit-log.js';
import { recordExport } from '../../core/customers/edit-customer.js';
import { everyPage, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { sendText } from '../../http/responses/send-lines.js';
import { oneOfQuery } from '../address.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { AuditPage } from './audit.view.js';
import { filterOf, readAuditQuery } from './audit-query.js';

const PAGE = 50;
const FILE = { filename: 'audit.csv', type: 'text/csv' };

/** The audit log. */
@Controller('settings/audit')
@RequireRole('admin')
export class AuditController extends PageController {
  @Get()
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const parameters = context.request.query;
    const [query, cursor] = [readAuditQuery(parameters), oneOfQuery(parameters['cursor'])];
    const request = { limit: PAGE, cursor: cursor || null };
    const entries = await listAudit(this.ports, customerOf(context), request, filterOf(query));
    const options = { title: 'Audit log', section: 'usage', styles: ['areas.css'] };
    return this.render(context, options, <AuditPage page={entries} query={query} cursor={cursor} />);
  }

  /** Everything that the page's filter matches. */
  @Get('audit.csv')
  async csv(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const [caller, filter] = [callerOfPage(context), filterOf(readAuditQuery(context.request.query))];
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, FILE.filename);
    const entries = everyPage((cursor) =>
      listAudit(this.ports, caller.customerId, { limit: MAX_PAGE_SIZE, cursor }, filter),
    );
    await sendText(context.request, response, FILE, csvOf(entries));
  }
}

const columns = [
  'at',
  'action',
  'subjectId',
  'subjectName',
  'count',
  'changes',
  'actorKind',
  'actorId',
  'actorName',
  'address',
] as const satisfies readonly (keyof AuditEntry)[];

/** The log as RFC 4180 CSV, with a header and a line for each entry. */
async function* csvOf(entries: AsyncIterable<AuditEntry>): AsyncGenerator<string> {
  yield lineOf(columns);
  for await (const entry of entries) {
    const { at, changes } = entry;
    const values = { ...entry, at: at.toISOString(), changes: changes.join(' ') };
    yield lineOf(columns.map((column) => values[column] ?? ''));
  }
}

function lineOf(values: readonly (string | number)[]): string {
  return `${values.map(cellOf).join(',')}\r\n`;
}

/** Names are untrusted: what a spreadsheet would run as a formula gets an apostrophe (OWASP, CSV injection). */
function cellOf(value: string | number): string {
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
