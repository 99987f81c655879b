import type { DeliveryKey } from '../../../core/delivery/delivery-key.js';
import type { ImageDelivery } from '../../../core/delivery/delivery-keys.js';
import { type PictureCount, TRAFFIC_DAYS } from '../../../core/traffic/traffic.js';
import { bytes, number } from '../counted.js';
import { localizable } from '../localized.js';
import { Card, Table } from '../parts.js';

const COLUMNS = ['Requests', 'Sent', 'Images made'];

interface PictureUsageProps {
  readonly delivery: ImageDelivery;
  /** The one key whose images are counted; null: all of them, deleted ones included. */
  readonly subject: DeliveryKey | null;
  readonly title?: string;
  /** Whether each key has its own row, too. */
  readonly byKey?: boolean;
}

/** The images that were delivered: in total, and day by day. */
export function PictureUsage({ delivery, subject, title = 'Usage', byKey = false }: PictureUsageProps) {
  const pictures = subject === null ? delivery.pictures : ofKey(delivery, subject.id);
  const rows = delivery.days.map((day) => ({ day, ...sum(pictures.filter((count) => count.day === day)) })).reverse();
  const of = subject === null ? 'Of all delivery keys, deleted ones included,' : 'Of this key';
  return (
    <Card title={title} lead={`${of} in the last ${TRAFFIC_DAYS} days (UTC). What caches answer is not counted.`}>
      <Table
        caption="Delivered images in total"
        columns={COLUMNS}
        rows={[{ key: 'total', cells: figures(sum(pictures)) }]}
      />
      {byKey && <ByKey delivery={delivery} />}
      <details>
        <summary>Day by day</summary>
        <Table
          caption="Delivered images by day"
          columns={['Day', ...COLUMNS]}
          rows={rows.map(({ day, ...count }) => ({ key: day, cells: [localizable('day', day), ...figures(count)] }))}
        />
      </details>
    </Card>
  );
}

function ByKey({ delivery }: { delivery: ImageDelivery }) {
  const { keys, pictures } = delivery;
  const ids = new Set([...keys, ...pictures.map(({ deliveryKeyId: id }) => ({ id }))].map(({ id }) => id));
  const rows = [...ids]
    .map((id) => ({ id, ...sum(ofKey(delivery, id)) }))
    .sort((a, b) => b.requests - a.requests || a.id - b.id);
  return (
    <Table
      caption={`Delivered images of each key in the last ${TRAFFIC_DAYS} days`}
      columns={['Delivery key', ...COLUMNS]}
      rows={rows.map(({ id, ...count }) => ({
        key: id,
        cells: [keys.find((key) => key.id === id)?.name ?? `deleted key ${id}`, ...figures(count)],
      }))}
    />
  );
}

/** What was requested with one key, in all days of the report. */
export function requestsOf(delivery: ImageDelivery, id: number): number {
  return sum(ofKey(delivery, id)).requests;
}

function ofKey({ pictures }: ImageDelivery, id: number): readonly PictureCount[] {
  return pictures.filter(({ deliveryKeyId }) => deliveryKeyId === id);
}

type Figures = Pick<PictureCount, 'requests' | 'bytes' | 'made'>;

function figures({ requests, made, ...sent }: Figures): readonly string[] {
  return [number(requests), bytes(sent.bytes), number(made)];
}

function sum(counts: readonly Figures[]): Figures {
  const total = { requests: 0, bytes: 0, made: 0 };
  for (const count of counts) {
    total.requests += count.requests;
    total.bytes += count.bytes;
    total.made += count.made;
  }
  return total;
}
