import { type Traffic, transferred } from '../../../core/traffic/read-traffic.js';
import { type Channel, channels, TRAFFIC_DAYS, type TransferCount } from '../../../core/traffic/traffic.js';
import { bytes } from '../counted.js';
import { Card, Table } from '../parts.js';
import { monthDay } from './chart.view.js';

const COLUMNS = ['Received', 'Sent'];

const names: Readonly<Record<Channel, string>> = {
  api: 'API requests',
  signed_urls: 'Signed URLs of uploads and renditions',
  images: 'Image delivery',
  shares: 'Shares',
  settings: 'Settings area',
};

/** Bytes between the service and everyone who used this account: in total, by channel, and day by day. */
export function Transfers({ traffic: { days, transfers } }: { traffic: Traffic }) {
  return (
    <Card
      title="Data transfer"
      lead={`In the last ${TRAFFIC_DAYS} days (UTC), including the headers of requests and responses. Files that clients exchange with an object store directly are not counted.`}
    >
      <Table
        caption="Data transfer by channel"
        columns={['Channel', ...COLUMNS]}
        rows={[
          ...channels.map((channel) => ({
            key: channel,
            cells: [names[channel], ...figures(transfers.filter((count) => count.channel === channel))],
          })),
          { key: 'total', cells: ['Total', ...figures(transfers)] },
        ]}
      />
      <details>
        <summary>Day by day</summary>
        <Table
          caption="Data transfer by day"
          columns={['Day', ...COLUMNS]}
          rows={days.toReversed().map((day) => ({
            key: day,
            cells: [monthDay(day), ...figures(transfers.filter((count) => count.day === day))],
          }))}
        />
      </details>
    </Card>
  );
}

function figures(counts: readonly TransferCount[]): readonly string[] {
  const { receivedBytes, sentBytes } = transferred(counts);
  return [bytes(receivedBytes), bytes(sentBytes)];
}
