import type { ImageDelivery } from '../../../core/delivery/delivery-keys.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Traffic } from '../../../core/traffic/read-traffic.js';
import { MAX_FAILURES, TRAFFIC_DAYS } from '../../../core/traffic/traffic.js';
import { number, pluralize } from '../counted.js';
import { PictureUsage } from '../delivery/picture-usage.view.js';
import { DocsLink } from '../docs-link.js';
import { Card, Empty, Heading, Moment, Table } from '../parts.js';
import { Chart, monthDay } from './chart.view.js';
import { figureColumns, figures, sum } from './figures.js';
import { Holdings } from './holdings.view.js';
import { Today } from './hours.view.js';
import { Transfers } from './transfers.view.js';

/** On a phone, days before would be too thin to see. */
const NARROW_DAYS = 14;

interface UsagePageProps {
  readonly traffic: Traffic;
  readonly delivery: ImageDelivery;
  /** The one key whose days are shown; null: all together. */
  readonly keyId: Id | null;
  readonly seesAudit: boolean;
}

export function UsagePage({ traffic, delivery, keyId, seesAudit }: UsagePageProps) {
  return (
    <>
      <Heading
        title="Usage"
        lead="Storage of this account, requests by its API keys, images at its signed URLs, and data transfer."
      >
        {seesAudit && (
          <a class="button plain" href="/settings/audit">
            Audit log
          </a>
        )}
      </Heading>
      <Holdings traffic={traffic} />
      <Requests traffic={traffic} keyId={keyId} />
      {(delivery.keys.length > 0 || delivery.pictures.length > 0) && (
        <PictureUsage delivery={delivery} subject={null} title="Delivered images" byKey />
      )}
      <Transfers traffic={traffic} />
      <Failures traffic={traffic} />
    </>
  );
}

function Requests({ traffic, keyId }: { traffic: Traffic; keyId: Id | null }) {
  const { counts, days } = traffic;
  const chosen = keyId === null ? counts : counts.filter(({ apiKeyId }) => apiKeyId === keyId);
  const byDay = days.map((day) => ({ day, ...sum(chosen.filter((count) => count.day === day)) }));
  const of = keyId === null ? 'all keys' : nameOf(traffic, keyId);
  const total = sum(chosen);
  return (
    <Card
      title="Requests"
      lead={`Of ${of}, in the last ${TRAFFIC_DAYS} days (UTC). Counts are delayed by a few seconds.`}
    >
      {keyId !== null && (
        <p>
          <a href="/settings/usage">Show all keys</a>
        </p>
      )}
      <ul class="totals">
        <li>
          <span class="dot good" aria-hidden="true" /> {pluralize(total.requests, 'request')}
        </li>
        <li>
          <span class="dot bad" aria-hidden="true" /> {pluralize(total.failed, 'error')}
        </li>
        <li>
          <span class="dot warn" aria-hidden="true" /> {number(total.limited)} over the rate limit (429)
        </li>
      </ul>
      <Chart
        columns={byDay.map(({ day, ...of }, at) => {
          return { name: monthDay(day), isNamed: (byDay.length - 1 - at) % 7 === 0, ...of };
        })}
        most={NARROW_DAYS}
        label={`Requests by day, of ${of}. The same numbers are in the table “Day by day”.`}
      />
      <details>
        <summary>Day by day</summary>
        <Table
          caption="Requests by day"
          columns={['Day', ...figureColumns]}
          rows={[...byDay].reverse().map(({ day, ...of }) => ({ key: day, cells: [monthDay(day), ...figures(of)] }))}
        />
      </details>
      <Today traffic={traffic} keyId={keyId} of={of} />
      <ByKey traffic={traffic} keyId={keyId} />
    </Card>
  );
}

function ByKey({ traffic, keyId }: { traffic: Traffic; keyId: Id | null }) {
  const { keys, counts } = traffic;
  const gone = counts.map(({ apiKeyId }) => apiKeyId).filter((id) => !keys.some((key) => key.id === id));
  const ids = [...keys.map(({ id }) => id), ...new Set(gone)];
  const rows = ids
    .map((id) => ({ id, ...sum(counts.filter(({ apiKeyId }) => apiKeyId === id)) }))
    .sort((a, b) => b.requests - a.requests || a.id - b.id);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>By key</h3>
      <Table
        caption={`Requests of each key in the last ${TRAFFIC_DAYS} days`}
        columns={['Key', ...figureColumns]}
        rows={rows.map(({ id, ...of }) => ({
          key: id,
          cells: [
            <a key="key" href={`/settings/usage?key=${id}`} aria-current={id === keyId ? 'true' : undefined}>
              {nameOf(traffic, id)}
            </a>,
            ...figures(of),
          ],
        }))}
      />
    </>
  );
}

function Failures({ traffic }: { traffic: Traffic }) {
  const { failures } = traffic;
  return (
    <section class="log">
      <h2>Recent errors</h2>
      <p class="lead">
        The last {MAX_FAILURES} at most. The operator of this service can find a request in the log by its request id.
        Requests over the rate limit are only counted above.
      </p>
      {failures.length === 0 ? (
        <Empty icon="circle-check" title="No errors" />
      ) : (
        <Table
          caption="Recent errors"
          columns={['When', 'Request', 'Answer', 'Key', 'Request id']}
          rows={failures.map((failure) => ({
            key: failure.requestId,
            cells: [
              <Moment key="at" at={failure.at} />,
              <span key="route" class="code">
                {failure.method} {failure.route ?? 'unknown path'}
              </span>,
              <>
                {failure.status}
                <DocsLink class="small code" path={`/errors/${failure.code}`}>
                  {failure.code}
                </DocsLink>
              </>,
              <KeyName key="key" traffic={traffic} id={failure.apiKeyId} />,
              <a key="id" id={failure.requestId} class="small code" href={`#${failure.requestId}`}>
                {failure.requestId}
              </a>,
            ],
          }))}
        />
      )}
    </section>
  );
}

/** Leads to the key, unless it has been deleted. */
function KeyName({ traffic, id }: { traffic: Traffic; id: Id }) {
  if (!traffic.keys.some((key) => key.id === id)) return <>{nameOf(traffic, id)}</>;
  return <a href={`/settings/keys/${id}`}>{nameOf(traffic, id)}</a>;
}

function nameOf({ keys }: Traffic, id: Id): string {
  return keys.find((key) => key.id === id)?.name ?? `deleted key ${id}`;
}
