import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { createWebhookEndpoint } from '../../../core/events/create-webhook-endpoint.js';
import { deleteWebhookEndpoint } from '../../../core/events/delete-webhook-endpoint.js';
import { editWebhookEndpoint } from '../../../core/events/edit-webhook-endpoint.js';
import { listDeliveries, listEndpointsWithLast, readWebhookEndpoint } from '../../../core/events/read-webhooks.js';
import type { WebhookEndpoint } from '../../../core/events/webhook-endpoint.js';
import type { Ports } from '../../../core/ports.js';
import { invalid } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { oneOfQuery } from '../address.js';
import { type Problems, problemsOf } from '../form.js';
import type { FormFields } from '../form-fields.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { EndpointPage } from './endpoint.view.js';
import { blankEndpoint, type EndpointFields, EndpointForm, fieldsOfEndpoint } from './endpoint-form.view.js';
import { AREA, customerOf, LIVE, ONCE } from './webhook-area.js';
import { DeleteEndpoint, EndpointList, ShowSecret } from './webhooks.view.js';

const LOG_PAGE = 50;

/** Endpoints of webhooks, and what became of what was sent to them. */
@Controller('settings/webhooks')
export class WebhookPagesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('owner')
  async list(@Visiting() visit: Visit): Promise<Reply> {
    const all = await listEndpointsWithLast(this.ports, customerOf(visit));
    return page(this.ports, visit, { ...AREA, title: 'Webhooks' }, <EndpointList all={all} />);
  }

  @Get('new')
  @For('owner')
  blank(@Visiting() visit: Visit): Reply {
    return this.form(visit, null, blankEndpoint, null);
  }

  @Post('new')
  @For('owner')
  async create(@Visiting() visit: Visit): Promise<Reply> {
    const fields = fieldsOf(visit.form);
    try {
      const created = await createWebhookEndpoint(this.ports, callerOfVisit(visit), said(fields));
      return page(this.ports, visit, { ...ONCE, title: 'New endpoint' }, <ShowSecret {...created} isNew />);
    } catch (error) {
      return this.form(visit, null, fields, problemsOf(error));
    }
  }

  @Get(':id')
  @For('owner')
  async show(@Visiting() visit: Visit, @PathId('id') id: Id, @Query('cursor') query: unknown): Promise<Reply> {
    const [customerId, cursor] = [customerOf(visit), oneOfQuery(query)];
    const endpoint = await readWebhookEndpoint(this.ports, customerId, id);
    const log = await listDeliveries(this.ports, customerId, id, { limit: LOG_PAGE, cursor: cursor || null });
    const content = <EndpointPage endpoint={endpoint} log={log} cursor={cursor} now={this.ports.clock.now()} />;
    return page(this.ports, visit, { ...LIVE, title: 'Webhook endpoint' }, content);
  }

  @Get(':id/edit')
  @For('owner')
  async editForm(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(visit), id);
    return this.form(visit, endpoint, fieldsOfEndpoint(endpoint), null);
  }

  @Post(':id/edit')
  @For('owner')
  async edit(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const fields = fieldsOf(visit.form);
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(visit), id);
    try {
      await editWebhookEndpoint(this.ports, callerOfVisit(visit), id, said(fields));
      return goTo(visit, `/settings/webhooks/${id}`, { kind: 'done', text: 'Saved.' });
    } catch (error) {
      return this.form(visit, endpoint, fields, problemsOf(error));
    }
  }

  @Get(':id/delete')
  @For('owner')
  async askDelete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(visit), id);
    return page(this.ports, visit, { ...AREA, title: 'Delete an endpoint' }, <DeleteEndpoint endpoint={endpoint} />);
  }

  @Post(':id/delete')
  @For('owner')
  async delete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    await deleteWebhookEndpoint(this.ports, callerOfVisit(visit), id);
    return goTo(visit, '/settings/webhooks', { kind: 'done', text: 'The endpoint was deleted.' });
  }

  private form(visit: Visit, endpoint: WebhookEndpoint | null, fields: EndpointFields, problems: Problems | null) {
    const title = endpoint === null ? 'New endpoint' : 'Edit the endpoint';
    const content = <EndpointForm endpoint={endpoint} fields={fields} problems={problems} />;
    return page(this.ports, visit, { ...AREA, title, status: problems?.status ?? 200 }, content);
  }
}

function fieldsOf(form: FormFields): EndpointFields {
  const which = form.text('which') === 'some' ? 'some' : 'all';
  return { url: form.text('url'), description: form.text('description'), which, events: form.all('events') };
}

/** Errors: `invalid_request` when there is nothing of which it is to hear. */
function said({ url, description, which, events }: EndpointFields) {
  if (which === 'some' && events.length === 0) {
    throw invalid({ field: 'events', code: 'required', message: 'Choose an event, or all of them.' });
  }
  return { url, description, events: which === 'all' ? [] : events };
}
