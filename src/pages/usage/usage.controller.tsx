import { Controller, Get, Query } from '@nestjs/common';
import { readImageDelivery } from '../../core/delivery/delivery-key.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { readTraffic, type Traffic, transferred } from '../../core/traffic/read-traffic.js';
import {
  type Channel,
  channels,
  MAX_LISTED_FAILURES,
  type RequestCount,
  TRAFFIC_DAYS,
  type TransferCount,
} from '../../core/traffic/traffic.js';
import { mayActAs } from '../../core/users/user.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { DayTable, PictureUsage, sumsOf } from '../delivery/delivery.view.js';
import type { Formats } from '../formats.js';
import { DocsLink, PageController } from '../page.js';
import { CurrentPageContext, InNavigation, type PageContext, personOf, usePageContext } from '../page-context.js';
import { Card, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { Chart, Meter } from './chart.view.js';

@Controller('settings/usage')
export class UsageController extends PageController {
  @Get()
  @InNavigation('Usage', 60)
  @RequireRole('viewer')
  async show(@CurrentPageContext() context: PageContext, @Query('key') query: unknown): Promise<Reply> {
    const { customer, user } = personOf(context);
    const traffic = await readTraffic(this.ports, customer.id);
    const delivery = await readImageDelivery(this.ports, customer.id);
    const seesAudit = mayActAs(user.role, 'admin');
    const keyId = parseId(oneOfQuery(query));
    const { formats } = context;
    const { photosLimit, storageBytesLimit } = traffic.customer;
    const parts = [
      ...(traffic.usage.trashedBytes > 0 ? [`${formats.bytes(traffic.usage.trashedBytes)} of it in the trash`] : []),
      ...(traffic.usage.renditionBytes > 0
        ? [`renditions take ${formats.bytes(traffic.usage.renditionBytes)} more, outside the quota`]
        : []),
    ];
    const { failures } = traffic;
    const content = (
      <>
        <Heading
          title="Usage"
          lead="Storage of this account, requests by its API keys, images at its signed URLs, and data transfer."
        >
          {seesAudit && <LinkButton href="/settings/audit" label="Audit log" />}
        </Heading>
        <div class="tiles">
          <Tile
            title="Photos"
            value={formats.number(traffic.quotaUse.photos)}
            note={
              traffic.usage.trashedPhotos > 0
                ? `${formats.number(traffic.usage.trashedPhotos)} of them in the trash`
                : null
            }
            used={traffic.quotaUse.photos}
            limit={photosLimit}
            words={(limit) => formats.pluralize(limit, 'photo')}
          />
          <Tile
            title="Storage"
            value={formats.bytes(traffic.quotaUse.storageBytes)}
            note={parts.length > 0 ? parts.join('; ') : null}
            used={traffic.quotaUse.storageBytes}
            limit={storageBytesLimit}
            words={(limit) => formats.bytes(limit)}
          />
        </div>
        <Requests traffic={traffic} keyId={keyId} />
        {(delivery.keys.length > 0 || delivery.pictures.length > 0) && <PictureUsage delivery={delivery} byKey />}
        <Transfers traffic={traffic} />
        <section class="log">
          <h2>Recent errors</h2>
          <p class="lead">
            The last {MAX_LISTED_FAILURES} at most. The operator of this service can find a request in the log by its
            request id. Requests over the rate limit are only counted above.
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
      </>
    );
    return this.render(context, { title: 'Usage', section: 'usage', styles: ['areas.css'] }, content);
  }
}

/** On a phone, days before would be too thin to see. */
const NARROW_DAYS = 14;

function Requests({ traffic, keyId }: { traffic: Traffic; keyId: Id | null }) {
  const { formats } = usePageContext();
  const { counts, days } = traffic;
  const chosen = keyId === null ? counts : counts.filter(({ apiKeyId }) => apiKeyId === keyId);
  const ofDay = (day: string) => sum(chosen.filter((count) => count.day === day));
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
          <span class="dot good" aria-hidden="true" /> {formats.pluralize(total.requests, 'request')}
        </li>
        <li>
          <span class="dot bad" aria-hidden="true" /> {formats.pluralize(total.failed, 'error')}
        </li>
        <li>
          <span class="dot warn" aria-hidden="true" /> {formats.number(total.limited)} over the rate limit (429)
        </li>
      </ul>
      <Chart
        columns={days.map((day, at) => {
          return { name: formats.day(day), isNamed: (days.length - 1 - at) % 7 === 0, ...ofDay(day) };
        })}
        most={NARROW_DAYS}
        label={`Requests by day, of ${of}. The same numbers are in the table “Day by day”.`}
      />
      <DayTable
        caption="Requests by day"
        columns={figureColumns}
        days={days}
        figuresOf={(day) => figures(formats, ofDay(day))}
      />
      <Today traffic={traffic} keyId={keyId} of={of} />
      <ByKey traffic={traffic} keyId={keyId} />
    </Card>
  );
}

function ByKey({ traffic, keyId }: { traffic: Traffic; keyId: Id | null }) {
  const { formats } = usePageContext();
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
            ...figures(formats, of),
          ],
        }))}
      />
    </>
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

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly note: string | null;
  readonly used: number;
  readonly limit: number | null;
  readonly words: (limit: number) => string;
}

function Tile({ title, value, note, used, limit, words }: TileProps) {
  return (
    <section class="card tile">
      <h2>{title}</h2>
      <p class="figure">{value}</p>
      {limit === null ? (
        <p class="hint">Without limit.</p>
      ) : (
        <>
          <Meter used={used} limit={limit} label={`${title}: ${percent(used, limit)} of the quota`} />
          <p class="hint">
            {percent(used, limit)} of {words(limit)}
          </p>
        </>
      )}
      {note && <p class="hint">{note}</p>}
    </section>
  );
}

function percent(used: number, limit: number): string {
  const share = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return share === 0 && used > 0 ? 'Less than 1 %' : `${share} %`;
}

/** The requests of today, of one key or of all, at the hours at which they came. */
function Today({ traffic, keyId, of }: { traffic: Traffic; keyId: Id | null; of: string }) {
  const { formats } = usePageContext();
  const today = traffic.days.at(-1) ?? '';
  const chosen = traffic.hours.filter(({ apiKeyId }) => keyId === null || apiKeyId === keyId);
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    hour,
    ...sum(chosen.filter((count) => count.hour === hour)),
  }));
  const name = (hour: number) => formats.hour(`${today}T${String(hour).padStart(2, '0')}:00`);
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
            .map(({ hour, ...of }) => ({ key: hour, cells: [name(hour), ...figures(formats, of)] }))}
        />
      </details>
    </>
  );
}

const COLUMNS = ['Received', 'Sent'];

const names: Readonly<Record<Channel, string>> = {
  api: 'API requests',
  signed_urls: 'Signed URLs of uploads and renditions',
  images: 'Image delivery',
  shares: 'Shares',
  settings: 'Settings area',
};

/** Bytes between the service and everyone who used this account: in total, by channel, and day by day. */
function Transfers({ traffic: { days, transfers } }: { traffic: Traffic }) {
  const { formats } = usePageContext();
  const figuresOf = (isCounted: (count: TransferCount) => boolean) => {
    const { receivedBytes, sentBytes } = transferred(transfers.filter(isCounted));
    return [formats.bytes(receivedBytes), formats.bytes(sentBytes)];
  };
  return (
    <Card
      title="Data transfer"
      lead={`In the last ${TRAFFIC_DAYS} days (UTC), including the headers of requests and responses. Files that clients exchange with an object store directly are not counted.`}
    >
      <Table
        caption="Data transfer by channel"
        columns={['Channel', ...COLUMNS]}
        rows={[
          ...channels.map((key) => ({ key, cells: [names[key], ...figuresOf(({ channel }) => channel === key)] })),
          { key: 'total', cells: ['Total', ...figuresOf(() => true)] },
        ]}
      />
      <DayTable
        caption="Data transfer by day"
        columns={COLUMNS}
        days={days}
        figuresOf={(each) => figuresOf(({ day }) => day === each)}
      />
    </Card>
  );
}

type Figures = Pick<RequestCount, 'requests' | 'limited' | 'failed'>;

const figureColumns = ['Requests', 'Errors', 'Over the limit (429)'];

function figures(formats: Formats, { requests, failed, limited }: Figures): readonly string[] {
  return [formats.number(requests), formats.number(failed), formats.number(limited)];
}

function sum(counts: readonly Figures[]): Figures {
  return sumsOf(['requests', 'limited', 'failed'], counts);
}
