import {
  type DeliveryKey,
  type ImageDelivery,
  MAX_DELIVERY_KEY_NAME,
  MAX_DELIVERY_KEYS,
} from '../../core/delivery/delivery-key.js';
import { optionNames, PRESET_NAME_CHARACTERS } from '../../core/delivery/delivery-options.js';
import { MAX_PRESETS, type Preset } from '../../core/delivery/preset.js';
import { isExpired } from '../../core/shared/clock.js';
import { type PictureCount, TRAFFIC_DAYS } from '../../core/traffic/traffic.js';
import { address } from '../address.js';
import { Button, ExpiryField, expiryOf, Field, lastDay, type Problems } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { type Formats, useFormats } from '../formats.js';
import { Badge, Card, ContinueLink, Copied, Copyable, Empty, Heading, LinkButton, Moment, Table } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';

const LEAD = 'Your own server signs URLs of images, in the sizes and formats that your pages need.';

export function DeliveryPage({ delivery, now }: { delivery: ImageDelivery; now: Date }) {
  return (
    <>
      <Heading title="Image delivery" lead={LEAD}>
        <LinkButton href={`${LIST}/keys/new`} label="Create key" kind="primary" />
        <LinkButton href={`${LIST}/presets/new`} label="Create preset" />
      </Heading>
      <Keys delivery={delivery} now={now} />
      <Presets presets={delivery.presets} />
      <PictureUsage delivery={delivery} subject={null} />
    </>
  );
}

function Keys({ delivery, now }: { delivery: ImageDelivery; now: Date }) {
  const formats = useFormats();
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
          rows={keys.map((key) => ({
            key: key.id,
            cells: keyCells(formats, key, now, sum(ofKey(delivery, key.id)).requests),
          }))}
        />
      )}
    </section>
  );
}

function keyCells(formats: Formats, key: DeliveryKey, now: Date, requests: number) {
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
    formats.number(requests),
    <span key="do" class="actions">
      <LinkButton href={`${LIST}/keys/${key.id}/delete`} label="Delete…" isSmall name={`Delete ${key.name}`} />
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
                <LinkButton href={presetPath(name, 'delete')} label="Delete…" isSmall name={`Delete ${name}`} />
              </span>,
            ],
          }))}
        />
      )}
    </section>
  );
}

const COLUMNS = ['Requests', 'Sent', 'Images made'];

interface PictureUsageProps {
  readonly delivery: ImageDelivery;
  /** The one key whose images are counted; null: all of them, deleted ones included. */
  readonly subject: DeliveryKey | null;
  readonly title?: string;
  readonly byKey?: boolean;
}

export function PictureUsage({ delivery, subject, title = 'Usage', byKey = false }: PictureUsageProps) {
  const formats = useFormats();
  const pictures = subject === null ? delivery.pictures : ofKey(delivery, subject.id);
  const of = subject === null ? 'Of all delivery keys, deleted ones included,' : 'Of this key';
  return (
    <Card title={title} lead={`${of} in the last ${TRAFFIC_DAYS} days (UTC). What caches answer is not counted.`}>
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
  const formats = useFormats();
  const rows = days.toReversed().map((day) => ({ key: day, cells: [formats.day(day), ...figuresOf(day)] }));
  return (
    <details>
      <summary>Day by day</summary>
      <Table caption={caption} columns={['Day', ...columns]} rows={rows} />
    </details>
  );
}

function ByKey({ delivery }: { delivery: ImageDelivery }) {
  const formats = useFormats();
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

function ofKey({ pictures }: ImageDelivery, id: number): readonly PictureCount[] {
  return pictures.filter(({ deliveryKeyId }) => deliveryKeyId === id);
}

type Figures = Pick<PictureCount, 'requests' | 'bytes' | 'made'>;

function figures(formats: Formats, { requests, made, ...sent }: Figures): readonly string[] {
  return [formats.number(requests), formats.bytes(sent.bytes), formats.number(made)];
}

function sum(counts: readonly Figures[]): Figures {
  return sumsOf(['requests', 'bytes', 'made'], counts);
}

/** Adds up these figures of all counts. */
export function sumsOf<Name extends string>(names: readonly Name[], counts: readonly Readonly<Record<Name, number>>[]) {
  const sums = names.map((name) => [name, counts.reduce((total, count) => total + count[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>;
}

export const LIST = '/settings/delivery';
/** The options of every page about image delivery. */
export const AREA = { section: 'delivery', styles: ['areas.css'] } as const;
/** The options of a page that shows a secret. */
export const ONCE = { ...AREA, scripts: ['copy.js', 'no-resend.js'] } as const;

export function presetPath(name: string, act: 'edit' | 'delete'): string {
  return `${LIST}/presets/${encodeURIComponent(name)}/${act}`;
}

const blank = { name: '', presetsOnly: false, expiresOn: '' };

export const deliveryKeyForm = {
  blank,
  lengths: { expiresOn: FieldLength.word },
  fieldsOf: ({ name, presetsOnly, expiresAt }: DeliveryKey) => ({ name, presetsOnly, expiresOn: lastDay(expiresAt) }),
  /** Errors: `invalid_request`. */
  valuesOf: ({ name, presetsOnly, expiresOn }: typeof blank) => ({ name, presetsOnly, expiresAt: expiryOf(expiresOn) }),
};

export type DeliveryKeyFormState = FormState<DeliveryKey, typeof blank>;

export function DeliveryKeyForm({ subject, fields, problems }: DeliveryKeyFormState) {
  return (
    <>
      {subject === null ? (
        <Heading title="Create delivery key" lead="Your server signs URLs of images with its secret." />
      ) : (
        <Heading
          title={`Delivery key “${subject.name}”`}
          lead="Changes apply to all URLs signed with it, immediately."
        />
      )}
      <FormCard
        action={subject === null ? `${LIST}/keys/new` : `${LIST}/keys/${subject.id}/edit`}
        problems={problems}
        shown={subject && deliveryKeyForm.fieldsOf(subject)}
        button={subject === null ? 'Create key' : 'Save'}
        cancel={LIST}
      >
        <Field
          label="Name"
          name="name"
          errors={problems}
          hint="What the key is for, for example your shop."
          input={{ value: fields.name, required: true, maxLength: MAX_DELIVERY_KEY_NAME, autocomplete: 'off' }}
        />
        <div class="choice">
          <input type="checkbox" id="presets-only" name="presetsOnly" value="yes" checked={fields.presetsOnly} />
          <label for="presets-only">Presets only: its URLs name a preset, and no other option</label>
        </div>
        <ExpiryField end="Its URLs stop working" value={fields.expiresOn} problems={problems} />
      </FormCard>
    </>
  );
}

/** The only page that shows a secret. */
export function ShowDeliverySecret({ subject, secret }: { subject: DeliveryKey; secret: string }) {
  return (
    <>
      <Heading title={`“${subject.name}” is ready`} />
      <Card
        title="Its secret"
        lead="It is shown only once: store it on your server, like a password. It must not reach a browser."
      >
        <p>
          Id of the key: <code>{subject.publicId}</code>
        </p>
        <Copyable id="secret" text={secret} />
        <Copied />
        <ContinueLink href={LIST} label="I have stored it" kind="primary" />
      </Card>
    </>
  );
}

export interface PresetFormProps {
  /** Null: a new one. */
  readonly subject: Pick<Preset, 'options'> | null;
  readonly name: string;
  readonly options: string;
  /** Options to show the newest photo with; null: it is not shown. */
  readonly preview: string | null;
  readonly problems: Problems | null;
}

export function PresetForm({ subject, name, options, preview, problems }: PresetFormProps) {
  const isNew = subject === null;
  // Each option has errors of its own, and all are typed into one field.
  const ofOptions = optionNames.reduce<Problems | undefined>(
    (renamed, option) => renamed?.renamed(option, 'options'),
    problems ?? undefined,
  );
  return (
    <>
      <Heading title={isNew ? 'Create preset' : `Preset “${name}”`} />
      <FormCard
        action={isNew ? `${LIST}/presets/new` : presetPath(name, 'edit')}
        problems={problems}
        shown={subject && { options: subject.options }}
        button={isNew ? 'Create preset' : 'Save'}
        cancel={LIST}
        others={
          <Button kind="plain" name="do" value="preview">
            Preview
          </Button>
        }
      >
        {isNew && (
          <Field
            label="Name"
            name="name"
            errors={problems}
            hint={`What URLs call it: ${PRESET_NAME_CHARACTERS}. It cannot be changed.`}
            input={{ value: name, required: true, autocomplete: 'off', placeholder: 'card' }}
          />
        )}
        <Field
          label="Options"
          name="options"
          errors={ofOptions}
          hint="As in a URL, separated by commas, for example w=300,h=200,fit=cover."
          input={{ value: options, required: true, autocomplete: 'off', spellcheck: false }}
        />
      </FormCard>
      {preview !== null && (
        <Card title="Preview" lead="Your newest photo with these options.">
          <img
            class="preset-preview"
            src={address(`${LIST}/preview`, { options: preview })}
            alt="Preview; there is none while the library is empty"
          />
        </Card>
      )}
    </>
  );
}
