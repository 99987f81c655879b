import {
  type ApiKey,
  displayPrefix,
  type KeyAddress,
  type KeySettings,
  MAX_KEY_LIMIT,
  MAX_KEY_NAME,
} from '../../core/access/api-key.js';
import { type Scope, scopes } from '../../core/access/caller.js';
import { mostRequests } from '../../core/access/keys.js';
import { defaultBudgets } from '../../core/access/rolling-window.js';
import { type FieldError, invalid } from '../../core/shared/errors.js';
import {
  Choice,
  ExpiryField,
  endOf,
  Field,
  Form,
  lastDay,
  ProblemSummary,
  type Problems,
  wrongExpiryDay,
} from '../form.js';
import { FieldLength } from '../form-fields.js';
import { entriesOf, entriesText, IpListField } from '../ip-list-field.js';
import { Buttons, Card, Heading, LinkButton, Moment } from '../parts.js';
import { ShownValues } from '../resource-form.js';

export interface KeyFormProps {
  readonly fields: KeyFields;
  readonly problems: Problems | null;
  /** Addresses in use that the list would refuse, to be confirmed. */
  readonly locksOut: readonly string[];
  readonly addresses: readonly KeyAddress[];
  readonly clientIp: string;
}

/** Requests per minute; as long as the greatest with separators. */
const LIMIT_INPUT = { inputMode: 'numeric', maxLength: MAX_KEY_LIMIT.toLocaleString('en').length, autocomplete: 'off' };

/** A new key, or one that replaces another. */
export function NewKey({ original, ...props }: KeyFormProps & { original: ApiKey | null }) {
  const lead = original
    ? `It has the same settings as “${original.name}”. Configure your program with the new key, check that it works, then delete the old one.`
    : 'The key is shown once, right after it is created.';
  return (
    <>
      <Heading title={original ? 'Replace a key' : 'Create key'} lead={lead} />
      <Form action="/settings/keys/new" class="card">
        <ProblemSummary problems={props.problems} />
        {original && <input type="hidden" name="from" value={String(original.id)} />}
        <NameField {...props} />
        <ScopeChoice {...props} />
        <SharedFields {...props} granted={original} />
        <Buttons label="Create key" cancel="/settings/keys" />
      </Form>
    </>
  );
}

export function EditKey({ subject, ...props }: KeyFormProps & { subject: ApiKey }) {
  return (
    <>
      <Heading
        title={subject.name}
        lead={
          <>
            <code>{displayPrefix(subject)}</code>, created <Moment at={subject.createdAt} />
          </>
        }
      >
        <LinkButton href={`/settings/keys/new?from=${subject.id}`} label="Rotate" />
        <LinkButton href={`/settings/keys/${subject.id}/delete`} label="Delete" />
      </Heading>
      <Card title="Permissions" lead="Permissions cannot be changed. Create a new key for other permissions.">
        <ScopeList scopes={subject.scopes} />
      </Card>
      <Form action={`/settings/keys/${subject.id}`} class="card">
        <ShownValues fields={keyForm.fieldsOf(subject)} />
        <ProblemSummary problems={props.problems} />
        <NameField {...props} />
        <SharedFields {...props} granted={subject} />
        <Buttons label="Save" cancel="/settings/keys" />
      </Form>
    </>
  );
}

function NameField({ fields, problems }: KeyFormProps) {
  const input = { value: fields.name, required: true, maxLength: MAX_KEY_NAME, autocomplete: 'off' };
  return (
    <Field
      label="Name"
      name="name"
      hint="What uses it, such as “Website” or “Nightly import”."
      errors={problems}
      input={input}
    />
  );
}

function ScopeChoice({ fields, problems }: KeyFormProps) {
  const errors = problems?.of('scopes') ?? [];
  return (
    <fieldset class="presets" aria-describedby={errors.length > 0 ? 'scopes-error' : undefined}>
      <legend>Permissions</legend>
      <p class="hint">Permissions cannot be changed later.</p>
      {presets.map(({ name, label, what }) => (
        <Choice key={name} type="radio" name="preset" value={name} isChosen={fields.preset === name} label={label}>
          {what}
        </Choice>
      ))}
      <Choice type="radio" name="preset" value="chosen" isChosen={fields.preset === 'chosen'} label="Custom">
        Exactly the permissions that you select.
      </Choice>
      <div class="one-by-one">
        {scopes.map((scope) => (
          <Choice
            key={scope}
            type="checkbox"
            name="scopes"
            value={scope}
            isChosen={fields.scopes.includes(scope)}
            label={scope}
          />
        ))}
      </div>
      {errors.length > 0 && (
        <div class="error" id="scopes-error">
          {errors.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
    </fieldset>
  );
}

function SharedFields(props: KeyFormProps & { granted: ApiKey | null }) {
  const { fields, problems, granted } = props;
  const limit = (group: 'read' | 'write') => {
    const most = mostRequests(granted, group);
    return `Empty means ${defaultBudgets[group]}. At most ${most}.`;
  };
  return (
    <>
      <IpListField
        value={fields.ipList}
        anywhere="If empty, the key can be used from anywhere."
        used="the key was used"
        {...props}
      />
      <ExpiryField end="The key stops working" value={fields.expiresOn} problems={problems} />
      <div class="pair">
        <Field
          label="Reads per minute"
          name="readLimit"
          hint={limit('read')}
          errors={problems}
          input={{ ...LIMIT_INPUT, value: fields.readLimit }}
        />
        <Field
          label="Writes per minute"
          name="writeLimit"
          hint={limit('write')}
          errors={problems}
          input={{ ...LIMIT_INPUT, value: fields.writeLimit }}
        />
      </div>
    </>
  );
}

const blank = {
  name: '',
  preset: 'read',
  scopes: [] as readonly string[],
  ipList: '',
  expiresOn: '',
  readLimit: '',
  writeLimit: '',
};
export type KeyFields = typeof blank;

/** The scopes for the most common purposes of keys. */
const presets: readonly { name: string; label: string; what: string; scopes: readonly Scope[] }[] = [
  {
    name: 'read',
    label: 'Read only',
    what: 'View the account, photos and tags, and download. Changes nothing.',
    scopes: ['customer:read', 'photos:read', 'tags:read'],
  },
  {
    name: 'import',
    label: 'Importer',
    what: 'Read, import and edit photos, create and edit tags. Cannot delete photos.',
    scopes: ['customer:read', 'photos:read', 'photos:write', 'tags:read', 'tags:write'],
  },
  { name: 'full', label: 'Full access', what: 'Everything the API offers, including deleting photos.', scopes },
];

export function scopesOf({ preset, scopes: chosen }: Pick<KeyFields, 'preset' | 'scopes'>): readonly string[] {
  return presets.find(({ name }) => name === preset)?.scopes ?? chosen;
}

export const keyForm = {
  blank,
  lengths: {
    ...{ preset: FieldLength.word, ipList: FieldLength.addresses, expiresOn: FieldLength.word },
    ...{ readLimit: FieldLength.word, writeLimit: FieldLength.word },
  },
  fieldsOf: (key: ApiKey): KeyFields => ({
    name: key.name,
    preset: presets.find((each) => each.scopes.join() === key.scopes.join())?.name ?? 'chosen',
    scopes: key.scopes,
    ipList: entriesText(key.ipList),
    expiresOn: lastDay(key.expiresAt),
    readLimit: key.readLimit?.toString() ?? '',
    writeLimit: key.writeLimit?.toString() ?? '',
  }),
  /** Errors: `invalid_request`. */
  valuesOf: (fields: KeyFields): KeySettings => {
    const [readLimit, writeLimit] = [wholeOf(fields.readLimit), wholeOf(fields.writeLimit)];
    const expiresAt = endOf(fields.expiresOn);
    const errors: FieldError[] = [];
    const number = 'Enter a whole number of requests per minute, or leave it empty for the default.';
    if (readLimit === undefined) errors.push({ field: 'readLimit', code: 'invalid_format', message: number });
    if (writeLimit === undefined) errors.push({ field: 'writeLimit', code: 'invalid_format', message: number });
    if (expiresAt === undefined && fields.expiresOn !== '') errors.push(wrongExpiryDay);
    if (errors.length > 0) throw invalid(...errors);
    return {
      name: fields.name,
      ipList: entriesOf(fields.ipList),
      readLimit: readLimit ?? null,
      writeLimit: writeLimit ?? null,
      expiresAt: expiresAt ?? null,
    };
  },
};

/** Null when empty; undefined when it is not a whole number. */
function wholeOf(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return (
    <ul class="chips">
      {scopes.map((scope) => (
        <li key={scope}>
          <code>{scope}</code>
        </li>
      ))}
    </ul>
  );
}
