import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import { changeTypes } from '../../core/events/event.js';
import { MAX_ENDPOINT_DESCRIPTION, type WebhookEndpoint } from '../../core/webhooks/webhook-endpoint.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';
import { Card, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';

/** The content of the form. */
export interface EndpointFields {
  readonly url: string;
  readonly description: string;
  readonly which: 'all' | 'some';
  readonly events: readonly string[];
}

export const blankEndpoint: EndpointFields = { url: '', description: '', which: 'all', events: [] };

export function fieldsOfEndpoint({ url, description, events }: WebhookEndpoint): EndpointFields {
  return { url, description: description ?? '', which: events.length === 0 ? 'all' : 'some', events };
}

export function EndpointForm({
  endpoint,
  fields,
  problems,
}: {
  /** Null: a new one. */
  endpoint: WebhookEndpoint | null;
  fields: EndpointFields;
  problems: Problems | null;
}) {
  const path = endpoint === null ? '/settings/webhooks/new' : `/settings/webhooks/${endpoint.id}/edit`;
  return (
    <>
      <Heading title={endpoint === null ? 'Create endpoint' : 'Edit endpoint'} />
      <Card>
        <ProblemSummary problems={problems} />
        <Form action={path}>
          {endpoint && <ShownValues fields={fieldsOfEndpoint(endpoint)} />}
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
          <Events fields={fields} messages={problems?.of('events') ?? []} />
          <div class="buttons">
            <Button>{endpoint === null ? 'Create endpoint' : 'Save'}</Button>
            <a
              class="button plain"
              href={endpoint === null ? '/settings/webhooks' : `/settings/webhooks/${endpoint.id}`}
            >
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
}

function Events({ fields, messages }: { fields: EndpointFields; messages: readonly string[] }) {
  return (
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
      {messages.map((message) => (
        <p class="error" key={message}>
          {message}
        </p>
      ))}
    </fieldset>
  );
}
