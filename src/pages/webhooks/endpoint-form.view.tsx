import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import { changeTypes } from '../../core/events/event.js';
import { invalid } from '../../core/shared/errors.js';
import { MAX_ENDPOINT_DESCRIPTION, type WebhookEndpoint } from '../../core/webhooks/webhook-endpoint.js';
import { Field } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { Heading } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';

const blank = { url: '', description: '', which: 'all', events: [] as readonly string[] };

export const endpointForm = {
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

export type EndpointFormState = FormState<WebhookEndpoint, typeof blank>;

export function EndpointForm({ subject, fields, problems }: EndpointFormState) {
  const path = subject === null ? '/settings/webhooks' : `/settings/webhooks/${subject.id}`;
  return (
    <>
      <Heading title={subject === null ? 'Create endpoint' : 'Edit endpoint'} />
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
        <Events fields={fields} messages={problems?.of('events') ?? []} />
      </FormCard>
    </>
  );
}

function Events({ fields, messages }: { fields: typeof blank; messages: readonly string[] }) {
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
