import { Controller, Get, Post } from '@nestjs/common';
import type { Id } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  editWebhookEndpoint,
  listDeliveries,
  listEndpointsWithLast,
  readDelivery,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from '../../core/webhooks/endpoints.js';
import { resendDelivery, sendTestEvent } from '../../core/webhooks/send.js';
import { type EndpointInput, ROTATION_HOURS, type WebhookEndpoint } from '../../core/webhooks/webhook-endpoint.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { PageController, redirectAfter, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { saveEdits, saveNew } from '../resource-form.js';
import { EndpointPage, logFilters, readLogQuery, WebhookDeliveryPage } from './endpoint.view.js';
import { EndpointForm, type EndpointFormState, EndpointList, endpointForm, ShowSecret } from './webhooks.view.js';

const LOG_PAGE = 50;

/** Endpoints of webhooks, and what became of what was sent to them. */
@Controller('settings/webhooks')
@RequireRole('admin')
export class WebhookPagesController extends PageController {
  @Get()
  @InNavigation('Webhooks', 50)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const all = await listEndpointsWithLast(this.ports, customerOf(context));
    return this.render(context, { ...AREA, title: 'Webhooks' }, <EndpointList all={all} />);
  }

  @Get('new')
  newForm(@CurrentPageContext() context: PageContext): Reply {
    return this.form(context, { subject: null, fields: endpointForm.blank, problems: null });
  }

  @Post('new')
  @RequireRole('admin', { confirmed: true })
  create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const save = async (values: EndpointInput & { url: string }) => {
      const created = await createWebhookEndpoint(this.ports, callerOfPage(context), values);
      return this.render(context, { ...ONCE, title: 'Endpoint created' }, <ShowSecret {...created} isNew />);
    };
    return saveNew(context, endpointForm, save, (state) => this.form(context, state));
  }

  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const parameters = context.request.query;
    const [customerId, cursor] = [customerOf(context), oneOfQuery(parameters['cursor'])];
    const query = readLogQuery(parameters);
    const endpoint = await readWebhookEndpoint(this.ports, customerId, id);
    const request = { limit: LOG_PAGE, cursor: cursor || null, filters: logFilters(query) };
    const log = await listDeliveries(this.ports, customerId, id, request);
    const content = <EndpointPage {...{ endpoint, log, query, cursor }} now={this.ports.clock.now()} />;
    return this.render(context, { ...LIVE, title: 'Webhook endpoint' }, content);
  }

  @Get(':id/edit')
  async editForm(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(context), id);
    return this.form(context, { subject: endpoint, fields: endpointForm.fieldsOf(endpoint), problems: null });
  }

  @Post(':id/edit')
  @RequireRole('admin', { confirmed: true })
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(context), id);
    const save = async (changes: EndpointInput, check: Precondition<WebhookEndpoint>) => {
      await editWebhookEndpoint(this.ports, callerOfPage(context), id, changes, check);
      return back(context, id, 'Saved.');
    };
    return saveEdits(context, endpointForm, endpoint, save, (state) => this.form(context, state));
  }

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { url } = await readWebhookEndpoint(this.ports, customerOf(context), id);
    const path = `/settings/webhooks/${id}`;
    const page = (
      <Confirm title="Delete this endpoint?" action={`${path}/delete`} button="Delete endpoint" back={path}>
        <p>
          No more events are sent to <span class="code">{url}</span>. Pending events, the delivery log and the secret
          are deleted, too. This cannot be undone.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Delete an endpoint' }, page);
  }

  @Post(':id/delete')
  @RequireRole('admin', { confirmed: true })
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await deleteWebhookEndpoint(this.ports, callerOfPage(context), id);
    return redirectTo(context, '/settings/webhooks', { kind: 'done', text: 'The endpoint was deleted.' });
  }

  private form(context: PageContext, state: EndpointFormState): Reply {
    const title = state.subject === null ? 'Create endpoint' : 'Edit endpoint';
    return this.render(context, { ...AREA, title, problems: state.problems }, <EndpointForm {...state} />);
  }
}

/** The actions behind the buttons of an endpoint and of its log. */
@Controller('settings/webhooks')
@RequireRole('admin')
export class WebhookActsController extends PageController {
  @Post(':id/enable')
  async enable(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfPage(context), id, { enabled: true });
    return back(context, id, 'Enabled. Pending events are being sent.');
  }

  @Post(':id/disable')
  async disable(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfPage(context), id, { enabled: false });
    return back(context, id, 'Disabled. Nothing is sent to it, and new events are not stored for it.');
  }

  @Get(':id/secret')
  async confirmRotate(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { url } = await readWebhookEndpoint(this.ports, customerOf(context), id);
    const path = `/settings/webhooks/${id}`;
    const page = (
      <Confirm title="Rotate the secret?" action={`${path}/secret`} button="Rotate secret" back={path}>
        <p>
          <span class="code">{url}</span> gets a new secret, which is shown once. Events are signed with both for{' '}
          {ROTATION_HOURS} hours, then the old one becomes invalid.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Rotate the secret' }, page);
  }

  @Post(':id/secret')
  @RequireRole('admin', { confirmed: true })
  async rotate(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const rotated = await rotateWebhookSecret(this.ports, callerOfPage(context), id);
    return this.render(context, { ...ONCE, title: 'New secret' }, <ShowSecret {...rotated} isNew={false} />);
  }

  @Post(':id/test')
  test(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const send = () => sendTestEvent(this.ports, customerOf(context), id);
    return this.sending(context, id, send, 'A test event is being sent.');
  }

  @Get(':id/deliveries/:deliveryId')
  async show(@CurrentPageContext() context: PageContext, @PathId('deliveryId') deliveryId: Id): Promise<Reply> {
    const delivery = await readDelivery(this.ports, customerOf(context), deliveryId);
    return this.render(context, { ...AREA, title: 'Delivery' }, <WebhookDeliveryPage delivery={delivery} />);
  }

  @Post(':id/deliveries/:deliveryId')
  resend(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @PathId('deliveryId') deliveryId: Id,
  ): Promise<Reply> {
    const send = () => resendDelivery(this.ports, customerOf(context), deliveryId);
    return this.sending(context, id, send, 'The event is being sent again.');
  }

  /** It may have been disabled since the page with the button was made. */
  private sending(context: PageContext, id: Id, send: () => Promise<unknown>, text: string): Promise<Reply> {
    return redirectAfter(context, `/settings/webhooks/${id}`, async () => {
      await send();
      return { text };
    });
  }
}

function back(context: PageContext, id: Id, text: string): Reply {
  return redirectTo(context, `/settings/webhooks/${id}`, { kind: 'done', text });
}

/** The options of every page about webhooks. */
const AREA = { section: 'webhooks', styles: ['areas.css'], scripts: ['webhooks.js'] } as const;
/** The options of a page with a log that moves by itself. */
const LIVE = { ...AREA, scripts: ['live.js'] } as const;
/** The options of a page that shows a secret. */
const ONCE = { ...AREA, scripts: ['copy.js', 'no-resend.js'] } as const;
