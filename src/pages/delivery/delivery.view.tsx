import { type DeliveryKey, type ImageDelivery } from '../../core/delivery/delivery-key.js';
import { type PictureCount, TRAFFIC_DAYS } from '../../core/traffic/traffic.js';
import type { Formats } from '../formats.js';
import { usePageContext } from '../page-context.js';
import { Card, Table } from '../parts.js';

const COLUMNS = ['Requests', 'Sent', 'Images made'];

/** The images of one key, or of all, deleted ones included. */
export function PictureUsage(props: { delivery: ImageDelivery; subject?: DeliveryKey; byKey?: boolean }) {
  const { delivery, subject, byKey = false } = props;
  const { formats } = usePageContext();
  const pictures = subject === undefined ? delivery.pictures : ofKey(delivery, subject.id);
  const of = subject === undefined ? 'Of all delivery keys, deleted ones included,' : 'Of this key';
  return (
    <Card
      title={byKey ? 'Delivered images' : 'Usage'}
      lead={`${of} in the last ${TRAFFIC_DAYS} days (UTC). What caches answer is not counted.`}
    >
      <Table
        caption="Delivered images in total"
        columns={COLUMNS}
        rows={[{ key: 'total', cells: figures(formats, sum(pictures)) }]}
      />
      {byKey && <ByKey delivery={delivery} />}
      <DayTable
        caption="Delivered images by day"
        columns={COLUMNS}
        days={delivery.days}
        figuresOf={(day) => figures(formats, sum(pictures.filter((count) => count.day === day)))}
      />
    </Card>
  );
}

interface DayTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly days: readonly string[];
  figuresOf(day: string): readonly string[];
}

/** The figures of each day, the last day first, to be opened below those of all days. */
export function DayTable({ caption, columns, days, figuresOf }: DayTableProps) {
  const { formats } = usePageContext();
  const rows = days.toReversed().map((day) => ({ key: day, cells: [formats.day(day), ...figuresOf(day)] }));
  return (
    <details>
      <summary>Day by day</summary>
      <Table caption={caption} columns={['Day', ...columns]} rows={rows} />
    </details>
  );
}

function ByKey({ delivery }: { delivery: ImageDelivery }) {
  const { formats } = usePageContext();
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
        cells: [keys.find((key) => key.id === id)?.name ?? `deleted key ${id}`, ...figures(formats, count)],
      }))}
    />
  );
}

export function ofKey({ pictures }: ImageDelivery, id: number): readonly PictureCount[] {
  return pictures.filter(({ deliveryKeyId }) => deliveryKeyId === id);
}

type Figures = Pick<PictureCount, 'requests' | 'bytes' | 'made'>;

function figures(formats: Formats, { requests, made, ...sent }: Figures): readonly string[] {
  return [formats.number(requests), formats.bytes(sent.bytes), formats.number(made)];
}

export function sum(counts: readonly Figures[]): Figures {
  return sumsOf(['requests', 'bytes', 'made'], counts);
}

export function sumsOf<Name extends string>(names: readonly Name[], counts: readonly Readonly<Record<Name, number>>[]) {
  const sums = names.map((name) => [name, counts.reduce((total, count) => total + count[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>;
}

export const LIST = '/settings/delivery';
export const AREA = { section: 'delivery', styles: ['areas.css'] } as const;
