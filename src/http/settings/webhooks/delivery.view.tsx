import { BODY_DAYS, type Delivery, type DeliveryBodies } from '../../../core/webhooks/delivery.js';
import { MAX_ANSWER_BYTES } from '../../../core/webhooks/webhook-sender.js';
import { number } from '../counted.js';
import { Card, Heading, Moment } from '../parts.js';
import { Answer, DeliveryState } from './webhook-labels.js';

/** One delivery of the log, with what was sent and what was answered. */
export function DeliveryPage({ delivery }: { delivery: Delivery & DeliveryBodies }) {
  return (
    <>
      <Heading title="Delivery" lead={<span class="code">{delivery.eventId}</span>}>
        <a class="button plain" href={`/settings/webhooks/${delivery.endpointId}`}>
          Back
        </a>
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
      <Body title="Request" text={indented(delivery.requestBody)} />
      <Body
        title="Response"
        lead={`The first ${number(MAX_ANSWER_BYTES)} bytes, without what looks like a secret. Responses of private addresses are not stored.`}
        text={delivery.responseBody}
      />
    </>
  );
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

/** Ours, so it is JSON. */
function indented(body: string | null): string | null {
  return body === null ? null : JSON.stringify(JSON.parse(body), null, 2);
}
