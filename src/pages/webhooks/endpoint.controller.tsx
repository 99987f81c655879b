import { Controller, Get, Post } from '@nestjs/common';
import { eventTypes } from '../../core/events/event.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import type { Page } from '../../core/shared/pagination.js';
import {
  BODY_DAYS,
  DELIVERY_LEASE_SECONDS,
  type Delivery,
  type DeliveryStatus,
  LOG_DAYS,
  MAX_DELIVERY_ATTEMPTS,
} from '../../core/webhooks/delivery.js';
import {
  editWebhookEndpoint,
  listDeliveries,
  readDelivery,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from '../../core/webhooks/endpoints.js';
import { resendDelivery, sendTestEvent } from '../../core/webhooks/send.js';
import { ROTATION_HOURS, type WebhookEndpoint } from '../../core/webhooks/webhook-endpoint.js';
import { MAX_ANSWER_BYTES } from '../../core/webhooks/webhook-sender.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { Button, Field, Form } from '../form.js';
import { PageController, redirectAfter } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { Card, Confirm, Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';
import { back } from './webhooks.controller.js';
import { Answer, AREA, DeliveryState, eventsOf, ONCE, ShowSecret, State, StateReason } from './webhooks.view.js';

/** One endpoint with its log, and the actions behind their buttons. */
@Controller('settings/webhooks')
@RequireRole('admin')
export class WebhookActsController extends PageController {
  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const parameters = context.request.query;
    const cursor = oneOfQuery(parameters['cursor']);
    // Values that mean nothing are not set.
    const state = logStates.find(([name]) => name === oneOfQuery(parameters['state']))?.[0] ?? '';
    const event = eventTypes.find((type) => type === oneOfQuery(parameters['event'])) ?? '';
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(context), id);
    const log = await listDeliveries(this.ports, customerOf(context), id, {
      limit: 50,
      cursor: cursor || null,
      filters: { ...(state !== '' && { status: state }), ...(event !== '' && { type: event }) },
    });
    const now = this.ports.clock.now();
    const path = `/settings/webhooks/${endpoint.id}`;
    const isOn = endpoint.status === 'enabled';
    const content = (
      <>
        <Heading title="Webhook endpoint" lead={<span class="code">{endpoint.url}</span>}>
          {isOn && (
            <Form action={`${path}/test`}>
              <Button kind="plain">Send a test event</Button>
            </Form>
          )}
          <LinkButton href={`${path}/edit`} label="Edit" />
        </Heading>
        <EndpointCard endpoint={endpoint} now={now} />
        <section class="log">
          <h2>Deliveries</h2>
          <p class="lead">
            Of the last {LOG_DAYS} days, newest first. A failed event is attempted {MAX_DELIVERY_ATTEMPTS} times within
            about three days, a test event once.
          </p>
          <form class="filters card" action={path} aria-label="Filter">
            <Field label="State" name="state" input={{ value: state }} choices={logStates} />
            <Field
              label="Event"
              name="event"
              input={{ value: event }}
              choices={[['', 'Any'] as const, ...eventTypes.map((type) => [type, type] as const)]}
            />
            <Button kind="plain">Filter</Button>
          </form>
          <div
            data-live={isOn ? nextChange(log.data, now) : undefined}
            data-live-in-place=""
            data-live-part="deliveries"
          >
            <Deliveries {...{ endpoint, log, cursor }} query={{ state, event }} />
          </div>
        </section>
      </>
    );
    // The log moves by itself.
    return this.render(context, { ...AREA, scripts: ['live.js'], title: 'Webhook endpoint' }, content);
  }

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
    return redirectAfter(context, `/settings/webhooks/${id}`, async () => {
      await sendTestEvent(this.ports, customerOf(context), id);
      return { text: 'A test event is being sent.' };
    });
  }

  @Get(':id/deliveries/:deliveryId')
  async delivery(@CurrentPageContext() context: PageContext, @PathId('deliveryId') deliveryId: Id): Promise<Reply> {
    const delivery = await readDelivery(this.ports, customerOf(context), deliveryId);
    const { formats } = context;
    return this.render(
      context,
      { ...AREA, title: 'Delivery' },
      <>
        <Heading title="Delivery" lead={<span class="code">{delivery.eventId}</span>}>
          <LinkButton href={`/settings/webhooks/${delivery.endpointId}`} label="Back" />
        </Heading>
        <Card title="Details">
          <dl class="facts">
            <dt>Event</dt>
            <dd class="code">{delivery.type}</dd>
            <dt>State</dt>
            <dd>
              <DeliveryState delivery={delivery} />
            </dd>
            <dt>Attempts</dt>
            <dd>{delivery.attempt}</dd>
            <dt>Last attempt</dt>
            <dd>
              <Moment at={delivery.attemptedAt} none="none yet" />
            </dd>
            <dt>Answer</dt>
            <dd>
              <Answer delivery={delivery} />
            </dd>
          </dl>
        </Card>
        <Body
          title="Request"
          text={delivery.requestBody === null ? null : JSON.stringify(JSON.parse(delivery.requestBody), null, 2)}
        />
        <Body
          title="Response"
          lead={`The first ${formats.number(MAX_ANSWER_BYTES)} bytes, without what looks like a secret. Responses of private addresses are not stored.`}
          text={delivery.responseBody}
        />
      </>,
    );
  }

  @Post(':id/deliveries/:deliveryId')
  resend(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @PathId('deliveryId') deliveryId: Id,
  ): Promise<Reply> {
    // It may have been disabled since the page with the button was made.
    return redirectAfter(context, `/settings/webhooks/${id}`, async () => {
      await resendDelivery(this.ports, customerOf(context), deliveryId);
      return { text: 'The event is being sent again.' };
    });
  }
}

const logStates: readonly (readonly [DeliveryStatus | '', string])[] = [
  ['', 'Any'],
  ['delivered', 'Delivered'],
  ['pending', 'Waiting or retrying'],
  ['dead', 'Given up'],
];

function EndpointCard({ endpoint, now }: { endpoint: WebhookEndpoint; now: Date }) {
  const path = `/settings/webhooks/${endpoint.id}`;
  const isOn = endpoint.status === 'enabled';
  return (
    <Card title="Details">
      <dl class="facts">
        <dt>State</dt>
        <dd data-live-part="state">
          <State endpoint={endpoint} /> <StateReason endpoint={endpoint} />
        </dd>
        <dt>Events</dt>
        <dd>{eventsOf(endpoint)}</dd>
        {endpoint.description && (
          <>
            <dt>Description</dt>
            <dd>{endpoint.description}</dd>
          </>
        )}
        <dt>Secret</dt>
        <dd>
          {endpoint.previousSecretUntil === null || endpoint.previousSecretUntil <= now ? (
            <>Shown only when it was created.</>
          ) : (
            <>
              Rotated; events are also signed with the old secret until <Moment at={endpoint.previousSecretUntil} />.
            </>
          )}
        </dd>
        <dt>Created</dt>
        <dd>
          <Moment at={endpoint.createdAt} />
        </dd>
      </dl>
      <div class="buttons">
        <Form action={`${path}/${isOn ? 'disable' : 'enable'}`}>
          <Button kind="plain">{isOn ? 'Disable' : 'Enable'}</Button>
        </Form>
        <LinkButton href={`${path}/secret`} label="Rotate the secret…" />
        <LinkButton href={`${path}/delete`} label="Delete…" />
      </div>
    </Card>
  );
}

/**
 * Milliseconds until a delivery of these may have another state; undefined when none will. One whose attempt has begun is due when its lease
 * expires, and any that is due as soon may be such a one: its result may come at any moment.
 */
function nextChange(deliveries: readonly Delivery[], now: Date): number | undefined {
  const waits = deliveries.flatMap(({ status, dueAt }) =>
    status === 'pending' && dueAt !== null ? dueAt.getTime() - now.getTime() : [],
  );
  if (waits.length === 0) return undefined;
  const soonest = Math.min(...waits);
  return soonest <= DELIVERY_LEASE_SECONDS * SECOND ? 0 : soonest;
}

interface DeliveriesProps {
  readonly endpoint: WebhookEndpoint;
  readonly log: Page<Delivery>;
  readonly query: { readonly state: string; readonly event: string };
  readonly cursor: string;
}

function Deliveries({ endpoint, log, query, cursor }: DeliveriesProps) {
  const path = `/settings/webhooks/${endpoint.id}`;
  if (log.data.length === 0 && (query.state !== '' || query.event !== '')) {
    return (
      <Empty icon="search" title="No matching deliveries">
        <p>
          <a href={path}>Show all</a>
        </p>
      </Empty>
    );
  }
  if (log.data.length === 0) {
    return (
      <Empty icon="send" title="Nothing sent yet">
        <p>The next event for this endpoint, or a test event, will be listed here.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table
        caption="Deliveries"
        columns={['Event', 'State', 'Attempts', 'Answer', 'Next attempt', '']}
        rows={log.data.map((delivery) => ({ key: delivery.id, cells: cellsOf(delivery, endpoint) }))}
      />
      <Paging page={log} {...{ path, query, cursor }} label="Pages of deliveries" />
    </>
  );
}

function cellsOf(delivery: Delivery, endpoint: WebhookEndpoint) {
  return [
    <>
      <a href={`/settings/webhooks/${endpoint.id}/deliveries/${delivery.id}`}>{delivery.type}</a>
      <span class="small code soft">{delivery.eventId}</span>
    </>,
    <DeliveryState key="state" delivery={delivery} />,
    String(delivery.attempt),
    <>
      <Answer delivery={delivery} />
      <span class="small soft">
        <Moment at={delivery.attemptedAt} none="" />
      </span>
    </>,
    delivery.status === 'pending' && endpoint.status === 'disabled' ? (
      'when enabled'
    ) : (
      <Moment key="next" at={delivery.status === 'pending' ? delivery.dueAt : null} none="–" />
    ),
    endpoint.status === 'enabled' && (
      <Form
        key="do"
        class="actions"
        action={`/settings/webhooks/${endpoint.id}/deliveries/${delivery.id}`}
        label={`Resend ${delivery.eventId}`}
      >
        <button type="submit" class="button plain small" id={`resend-${delivery.id}`}>
          Resend
        </button>
      </Form>
    ),
  ];
}

function Body({ title, lead, text }: { title: string; lead?: string; text: string | null }) {
  return (
    <Card title={title} {...(lead !== undefined && { lead })}>
      {text === null ? (
        <p class="soft">Nothing is stored. Bodies are removed after {BODY_DAYS} days.</p>
      ) : (
        <pre class="body">{text}</pre>
      )}
    </Card>
  );
}
