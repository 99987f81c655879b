import { Controller, Get, Post } from '@nestjs/common';
import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import { changeTypes } from '../../core/events/event.js';
import { invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  type EndpointWithLast,
  editWebhookEndpoint,
  listEndpointsWithLast,
  readWebhookEndpoint,
} from '../../core/webhooks/endpoints.js';
import {
  type EndpointInput,
  MAX_ENDPOINT_DESCRIPTION,
  MAX_ENDPOINTS,
  type WebhookEndpoint,
} from '../../core/webhooks/webhook-endpoint.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { Field } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import { Confirm, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { FormCard, type FormState, saveEdits, saveNew } from '../resource-form.js';
import { AREA, DeliveryState, eventsOf, ONCE, ShowSecret, State, StateReason } from './webhooks.view.js';

@Controller('settings/webhooks')
@RequireRole('admin')
export class WebhookPagesController extends PageController {
  @Get()
  @InNavigation('Webhooks', 50)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const all = await listEndpointsWithLast(this.ports, customerOf(context));
    const lead = `Notify your own servers by a signed request for each event. At most ${MAX_ENDPOINTS} endpoints.`;
    return this.render(
      context,
      { ...AREA, title: 'Webhooks' },
      <>
        <Heading title="Webhooks" lead={lead}>
          <LinkButton href="/settings/webhooks/new" icon="plus" label="Create endpoint" kind="primary" />
        </Heading>
        {all.length === 0 ? (
          <Empty icon="webhook" title="No endpoints yet">
            <p>Enter the URL of your server to be notified of new photos and other changes.</p>
          </Empty>
        ) : (
          <div class="endpoints">
            <Table
              caption="Webhook endpoints"
              columns={['Endpoint', 'Events', 'State', 'Last delivery', '']}
              rows={all.map((one) => ({ key: one.endpoint.id, cells: cellsOf(one) }))}
            />
          </div>
        )}
      </>,
    );
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

  private form(context: PageContext, { subject, fields, problems }: FormState<WebhookEndpoint, typeof blank>): Reply {
    const title = subject === null ? 'Create endpoint' : 'Edit endpoint';
    const path = subject === null ? '/settings/webhooks' : `/settings/webhooks/${subject.id}`;
    return this.render(
      context,
      { ...AREA, title, problems },
      <>
        <Heading title={title} />
        <FormCard
          action={subject === null ? `${path}/new` : `${path}/edit`}
          problems={problems}
          shown={subject && endpointForm.fieldsOf(subject)}
          button={subject === null ? 'Create endpoint' : 'Save'}
          cancel={path}
        >
          <Field
            label="URL"
            name="url"
            errors={problems}
            hint="Events are sent to this https URL, which must be publicly reachable."
            input={{
              type: 'url',
              value: fields.url,
              required: true,
              maxLength: MAX_URL_LENGTH,
              placeholder: 'https://example.com/webhooks',
              autocomplete: 'off',
            }}
          />
          <Field
            label="Description"
            name="description"
            errors={problems}
            hint="Only shown here."
            input={{ value: fields.description, maxLength: MAX_ENDPOINT_DESCRIPTION, autocomplete: 'off' }}
          />
          <fieldset>
            <legend>Events</legend>
            <div class="choice">
              <input type="radio" id="which-all" name="which" value="all" checked={fields.which === 'all'} />
              <label for="which-all">All events, including types added in later versions</label>
            </div>
            <div class="choice">
              <input type="radio" id="which-some" name="which" value="some" checked={fields.which === 'some'} />
              <label for="which-some">Selected events</label>
            </div>
            <div class="events">
              {changeTypes.map((type) => (
                <div class="choice" key={type}>
                  <input
                    type="checkbox"
                    id={`event-${type}`}
                    name="events"
                    value={type}
                    checked={fields.events.includes(type)}
                    data-chooses="which-some"
                  />
                  <label class="code" for={`event-${type}`}>
                    {type}
                  </label>
                </div>
              ))}
            </div>
            {problems?.of('events').map((message) => (
              <p key={message} class="error">
                {message}
              </p>
            ))}
          </fieldset>
        </FormCard>
      </>,
    );
  }
}

export function back(context: PageContext, id: Id, text: string): Reply {
  return redirectTo(context, `/settings/webhooks/${id}`, { kind: 'done', text });
}

function cellsOf({ endpoint, last }: EndpointWithLast) {
  const { id, url, description } = endpoint;
  return [
    <>
      <a class="code" href={`/settings/webhooks/${id}`}>
        {url}
      </a>
      {description && <span class="small soft">{description}</span>}
    </>,
    <span key="events" class="small">
      {eventsOf(endpoint)}
    </span>,
    <>
      <State endpoint={endpoint} />
      <span class="small soft">
        <StateReason endpoint={endpoint} brief />
      </span>
    </>,
    last === null ? (
      <span class="soft">none yet</span>
    ) : (
      <>
        <DeliveryState delivery={last} />
        <span class="small soft">
          <Moment at={last.attemptedAt ?? last.createdAt} />
        </span>
      </>
    ),
    <span key="do" class="actions">
      <LinkButton href={`/settings/webhooks/${id}`} label="Open" isSmall name={`Open ${url}`} />
    </span>,
  ];
}

const blank = { url: '', description: '', which: 'all', events: [] as readonly string[] };

const endpointForm = {
  blank,
  lengths: { which: FieldLength.word },
  fieldsOf: ({ url, description, events }: WebhookEndpoint) => {
    return { url, description: description ?? '', which: events.length === 0 ? 'all' : 'some', events };
  },
  /** Errors: `invalid_request` when there is nothing of which it is to hear. */
  valuesOf: ({ url, description, which, events }: typeof blank) => {
    if (which === 'some' && events.length === 0) {
      throw invalid({ field: 'events', code: 'required', message: 'Select an event, or all of them.' });
    }
    return { url, description, events: which === 'some' ? events : [] };
  },
};
