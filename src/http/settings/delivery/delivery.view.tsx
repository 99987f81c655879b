import { isExpired } from '../../../core/access/api-key.js';
import { type DeliveryKey, MAX_DELIVERY_KEYS } from '../../../core/delivery/delivery-key.js';
import type { ImageDelivery } from '../../../core/delivery/delivery-keys.js';
import { MAX_PRESETS, type Preset } from '../../../core/delivery/preset.js';
import { TRAFFIC_DAYS } from '../../../core/traffic/traffic.js';
import { number } from '../counted.js';
import { Badge, Empty, Heading, Moment, Table } from '../parts.js';
import { LIST, presetPath } from './delivery-area.js';
import { PictureUsage, requestsOf } from './picture-usage.view.js';

const LEAD = 'Your own server signs URLs of images, in the sizes and formats that your pages need.';

export function DeliveryPage({ delivery, now }: { delivery: ImageDelivery; now: Date }) {
  return (
    <>
      <Heading title="Image delivery" lead={LEAD}>
        <a class="button primary" href={`${LIST}/keys/new`}>
          Create key
        </a>
        <a class="button plain" href={`${LIST}/presets/new`}>
          Create preset
        </a>
      </Heading>
      <Keys delivery={delivery} now={now} />
      <Presets presets={delivery.presets} />
      <PictureUsage delivery={delivery} subject={null} />
    </>
  );
}

function Keys({ delivery, now }: { delivery: ImageDelivery; now: Date }) {
  const { keys } = delivery;
  return (
    <section class="log">
      <h2>Delivery keys</h2>
      <p class="lead">Deleting a key invalidates all URLs signed with it. At most {MAX_DELIVERY_KEYS}.</p>
      {keys.length === 0 ? (
        <Empty icon="key-round" title="No delivery keys yet">
          <p>Create one to sign the first URL.</p>
        </Empty>
      ) : (
        <Table
          caption="Delivery keys"
          columns={['Key', 'Options', 'Expires', `Requests in ${TRAFFIC_DAYS} days`, '']}
          rows={keys.map((key) => ({ key: key.id, cells: keyCells(key, now, requestsOf(delivery, key.id)) }))}
        />
      )}
    </section>
  );
}

function keyCells(key: DeliveryKey, now: Date, requests: number) {
  return [
    <>
      <a class="strong" href={`${LIST}/keys/${key.id}/edit`}>
        {key.name}
      </a>
      <code class="small soft">{key.publicId}</code>
      {isExpired(key, now) && <Badge tone="bad">Expired</Badge>}
    </>,
    key.presetsOnly ? 'Presets only' : 'Any',
    <Moment key="expires" at={key.expiresAt} />,
    number(requests),
    <span key="do" class="actions">
      <a class="button plain small" href={`${LIST}/keys/${key.id}/delete`} aria-label={`Delete ${key.name}`}>
        Delete…
      </a>
    </span>,
  ];
}

function Presets({ presets }: { presets: readonly Preset[] }) {
  return (
    <section class="log">
      <h2>Presets</h2>
      <p class="lead">
        Named sets of options. Changing a preset changes the images at all URLs that name it. At most {MAX_PRESETS}.
      </p>
      {presets.length === 0 ? (
        <Empty icon="images" title="No presets yet">
          <p>For example “card”, for images of 300 by 200 pixels.</p>
        </Empty>
      ) : (
        <Table
          caption="Presets"
          columns={['Preset', 'Options', 'Changed', '']}
          rows={presets.map(({ name, options, updatedAt }) => ({
            key: name,
            cells: [
              <a key="name" class="strong" href={presetPath(name, 'edit')}>
                {name}
              </a>,
              <code key="options">{options}</code>,
              <Moment key="at" at={updatedAt} />,
              <span key="do" class="actions">
                <a class="button plain small" href={presetPath(name, 'delete')} aria-label={`Delete ${name}`}>
                  Delete…
                </a>
              </span>,
            ],
          }))}
        />
      )}
    </section>
  );
}
