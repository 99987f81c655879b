import type { Id } from '../../../core/shared/ids.js';
import type { Traffic } from '../../../core/traffic/read-traffic.js';
import { localizable } from '../localized.js';
import { Table } from '../parts.js';
import { Chart } from './chart.view.js';
import { figureColumns, figures, sum } from './figures.js';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The requests of today, of one key or of all, at the hours at which they came. */
export function Today({ traffic, keyId, of }: { traffic: Traffic; keyId: Id | null; of: string }) {
  const today = traffic.days.at(-1) ?? '';
  const chosen = traffic.hours.filter(({ apiKeyId }) => keyId === null || apiKeyId === keyId);
  const hours = HOURS.map((hour) => ({ hour, ...sum(chosen.filter((count) => count.hour === hour)) }));
  const name = (hour: number) => localizable('hour', `${today}T${String(hour).padStart(2, '0')}:00`);
  if (chosen.length === 0) return null;
  return (
    <>
      <h3>Today, by hour (UTC)</h3>
      <Chart
        columns={hours.map(({ hour, ...of }) => ({ name: name(hour), isNamed: hour % 6 === 0, ...of }))}
        label={`Requests of today by hour, of ${of}. The same numbers are in the table “Hour by hour”.`}
      />
      <details>
        <summary>Hour by hour</summary>
        <Table
          caption="Requests of today by hour"
          columns={['Hour', ...figureColumns]}
          rows={hours
            .filter(({ requests }) => requests > 0)
            .reverse()
            .map(({ hour, ...of }) => ({ key: hour, cells: [name(hour), ...figures(of)] }))}
        />
      </details>
    </>
  );
}
