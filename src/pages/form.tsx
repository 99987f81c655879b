import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { after, DAY } from '../core/shared/clock.js';
import { DomainError, type ErrorCode, type FieldError, invalid } from '../core/shared/errors.js';
import { MAX_PASSWORD, MIN_PASSWORD } from '../core/users/passwords.js';
import { statusOfCode } from '../http/status-of-code.js';
import { CSRF_FIELD } from './csrf.js';
import type { FormFields } from './form-fields.js';

/** The token of the page that is being rendered. */
export const CsrfToken = createContext('');

interface FormProps {
  readonly action: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string | undefined;
}

/** A form that is sent by POST, with its token. */
export function Form({ action, children, label, ...rest }: FormProps) {
  return (
    <form method="post" action={action} class={rest.class} aria-label={label}>
      <input type="hidden" name={CSRF_FIELD} value={useContext(CsrfToken)} />
      {children}
    </form>
  );
}

type Choices = readonly (readonly [value: string, label: string])[];

export function Options({ choices, chosen }: { choices: Choices; chosen: unknown }) {
  return (
    <>
      {choices.map(([value, label]) => (
        <option key={value} value={value} selected={value === chosen}>
          {label}
        </option>
      ))}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly errors?: Problems | null | undefined;
  /** Attributes of the element: type, value, autocomplete, required … */
  readonly input?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly lines?: number;
  /** A choice of values with their labels instead of free text. */
  readonly choices?: Choices;
  /** Below the element: what helps to fill it in. */
  readonly beside?: ComponentChildren;
}

/** A labelled field with its hint and its error, linked for screen readers. */
export function Field({ label, name, hint, errors, input = {}, lines, choices, beside }: FieldProps) {
  // The label for people of a field of the API.
  const named = (message: string) => (message.startsWith(`${name} `) ? label + message.slice(name.length) : message);
  const messages = (errors?.of(name) ?? []).map(named);
  const id = `field-${name}`;
  const described = [hint ? `${id}-hint` : null, messages.length > 0 ? `${id}-error` : null].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    'aria-describedby': described || undefined,
    'aria-invalid': messages.length > 0 ? ('true' as const) : undefined,
  };
  const { value, ...others } = input;
  return (
    <div class={messages.length > 0 ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {choices ? (
        <select {...others} {...shared}>
          <Options choices={choices} chosen={value} />
        </select>
      ) : lines ? (
        <textarea {...others} {...shared} rows={lines}>
          {value}
        </textarea>
      ) : (
        <input type="text" {...input} {...shared} />
      )}
      {beside}
      {messages.length > 0 && (
        <div class="error" id={`${id}-error`}>
          {messages.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
    </div>
  );
}

export type ButtonKind = 'primary' | 'danger' | 'plain';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: ButtonKind | undefined;
  readonly name?: string;
  readonly value?: string;
}

export function Button({ children, kind = 'primary', name, value }: ButtonProps) {
  return (
    <button type="submit" class={`button ${kind}`} name={name} value={value}>
      {children}
    </button>
  );
}

/** A button that sends a form to another address, whether or not it is filled in. */
export function OtherAction({ path, label, name }: { path: string; label: string; name?: string }) {
  return (
    <button type="submit" class="button plain" formaction={path} formnovalidate aria-label={name}>
      {label}
    </button>
  );
}

/** The errors of a form, to be shown beside its fields. */
export class Problems {
  constructor(
    readonly code: ErrorCode,
    readonly message: string,
    private readonly errors: readonly FieldError[],
  ) {}

  get status(): number {
    return statusOfCode[this.code];
  }

  /** Whether the fields show all of it. */
  get isOfFields(): boolean {
    return this.errors.length > 0;
  }

  /** The same for a form whose field has another name. */
  renamed(from: string, to: string): Problems {
    const errors = this.errors.map((error) => (error.field === from ? { ...error, field: to } : error));
    return new Problems(this.code, this.message, errors);
  }

  /** The errors of a field, or of its parts (`ipList[3]`). */
  of(field: string): readonly string[] {
    return this.errors.filter((error) => error.field.replace(/\[.*/, '') === field).map(({ message }) => message);
  }
}

const EXPLAINED: readonly ErrorCode[] = [
  'invalid_request',
  'limit_reached',
  'rate_limited',
  'unauthorized',
  'tag_name_taken',
];

/** An error that a form can show beside its fields. Any other is rethrown, and becomes a page of its own. */
export function problemsOf(error: unknown): Problems {
  if (!(error instanceof DomainError) || !EXPLAINED.includes(error.code)) throw error;
  return new Problems(error.code, messageForPeople(error), fieldErrorsForPeople(error));
}

/** A form that may have been refused, with the values that were sent. */
export interface SentForm {
  readonly problems: Problems | null;
  readonly form: FormFields;
}

/** Above a form: the error in a sentence or, if the fields show it, a note that they do. */
export function ProblemSummary({ problems }: { problems: Problems | null | undefined }) {
  if (!problems) return null;
  return (
    <p class="flash failed" role="alert">
      {problems.isOfFields ? 'Nothing was saved. Correct the fields marked below.' : problems.message}
    </p>
  );
}

interface ChoiceProps {
  readonly type: 'radio' | 'checkbox';
  readonly name: string;
  readonly value: string;
  readonly isChosen: boolean;
  readonly label: string;
  readonly children?: string;
}

/** A box or a button to choose, with what it means. */
export function Choice({ type, name, value, isChosen, label, children }: ChoiceProps) {
  const id = `${name}-${value.replace(':', '-')}`;
  return (
    <div class="choice">
      <input
        type={type}
        id={id}
        name={name}
        value={value}
        checked={isChosen}
        aria-describedby={children ? `${id}-what` : undefined}
      />
      <div>
        <label for={id}>{label}</label>
        {children && (
          <p class="hint" id={`${id}-what`}>
            {children}
          </p>
        )}
      </div>
    </div>
  );
}

const CODE_INPUT = {
  autocomplete: 'one-time-code',
  required: true,
  maxLength: 40,
  spellcheck: false,
  autocapitalize: 'characters',
};

/** A field for a one-time code or a recovery code. Phones offer digits, or what a message contained. */
export function CodeField({ name = 'code', input, ...field }: Omit<FieldProps, 'label' | 'name'> & { name?: string }) {
  return <Field label="Code" name={name} {...field} input={{ ...CODE_INPUT, ...input }} />;
}

export const PASSWORD_INPUT = {
  type: 'password',
  required: true,
  autocomplete: 'current-password',
  maxLength: MAX_PASSWORD,
};

/** A field for a new password. One that is too long is refused, instead of being cut off unseen. */
export function NewPasswordField({ label, errors }: Pick<FieldProps, 'label' | 'errors'>) {
  const hint = `At least ${MIN_PASSWORD} characters that are hard to guess. Four or more words that do not belong together make a good password.`;
  const input = { ...PASSWORD_INPUT, autocomplete: 'new-password', maxLength: 5 * MAX_PASSWORD };
  return <Field label={label} name="password" hint={hint} errors={errors} input={input} />;
}

export const USER_NAME_FIELD = 'username';

/** So that browsers keep a password under the right name where the form does not ask for it. */
export function UserName({ email }: { email: string | null }) {
  return <input type="text" name={USER_NAME_FIELD} value={email ?? ''} autocomplete="username" hidden readOnly />;
}

/** The day at whose end something stops working. `end`: the clause about it, as in “The key stops working”. */
export function ExpiryField({ end, value, problems }: { end: string; value: string; problems: Problems | null }) {
  return (
    <Field
      label="Expiry date"
      name="expiresOn"
      hint={`${end} at the end of this day (UTC). Optional.`}
      errors={problems?.renamed('expiresAt', 'expiresOn')}
      input={{ type: 'date', value }}
    />
  );
}

/** The problem of a form whose expiry date is none. */
export const wrongExpiryDay: FieldError = {
  field: 'expiresAt',
  code: 'invalid_format',
  message: 'Enter a date such as 2027-01-31.',
};

/** The last day, in UTC, on which something works that expires then; empty if it never does. */
export function lastDay(expiresAt: Date | null): string {
  return expiresAt === null ? '' : after(expiresAt, -1).toISOString().slice(0, 10);
}

/** The end of a day in UTC; undefined when it is not a date. */
export function endOf(day: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? undefined : after(at, DAY);
}

/** When something expires by its last day as typed into a form; null for none. Errors: `invalid_request`. */
export function expiryOf(day: string): Date | null {
  if (day === '') return null;
  const end = endOf(day);
  if (end === undefined) throw invalid(wrongExpiryDay);
  return end;
}

/** A field for a time zone. A script (time-zones.ts) offers all names to search among, and the browser's own zone. */
export function TimeZoneField({ input, ...field }: Omit<FieldProps, 'lines' | 'choices' | 'beside'>) {
  const list = `zones-of-${field.name}`;
  return (
    <Field
      {...field}
      input={{ maxLength: MAX_ZONE_NAME, autocomplete: 'off', spellcheck: false, ...input, list }}
      beside={<TimeZoneNames id={list} />}
    />
  );
}

export const MAX_ZONE_NAME = 64;

/** For a text field with the attribute `list`. */
export function TimeZoneNames({ id }: { id: string }) {
  return (
    <>
      <datalist id={id} data-time-zones />
      <button type="button" class="quiet own-zone" data-own-zone hidden />
    </>
  );
}

/** Messages for people if core's message is for developers and uses the names of the API. Every other message is for both. */
const words: Partial<Record<ErrorCode, string>> = {
  not_found: 'This page does not exist, or you do not have access to it.',
  tag_name_taken: 'A tag with this name already exists (case is ignored). Use that tag, or merge the two.',
  import_not_open: 'This import has ended in the meantime.',
  import_photo_final: 'This file of the import has been completed in the meantime.',
  uploads_incomplete: 'Some of its files are missing.',
  no_photos_accepted: 'None of the files was accepted.',
  invalid_cursor: 'This part of the list is out of date. Start again from the first page.',
  precondition_failed: 'This was changed in the meantime. Reload the page.',
  idempotency_in_progress: 'The same request is already being processed. Reload the page.',
};

/** For a limit, by its name. */
const limitWords: Readonly<Record<string, (limit: unknown) => string>> = {
  openImports: (limit) => `At most ${limit} imports can be open at once. Finish or discard one first.`,
  importMaxPhotos: (limit) => `An import has at most ${limit} photos. Finish it and start another.`,
};

/** For a field, by its name and error code. */
const fieldWords: Readonly<Record<string, string>> = {
  'takenAtLocal required': 'Enter the date and time, too.',
  'shiftTakenAt.seconds out_of_range': 'Enter by how much to shift it; the result must be in the years 1 to 9999.',
  'removePhotoIds conflict': 'A photo cannot gain and lose a tag at the same time.',
  'focus.x out_of_range': 'Enter numbers from 0 to 100.',
  'focus.y out_of_range': 'Enter numbers from 0 to 100.',
  'file required': 'Select some photos first.',
  'expiresAt out_of_range': 'This date is in the past. Choose a later one.',
};

/** The names with which a sentence that begins with the name of a field refers to it if there is no label beside it. */
const fieldNames: Readonly<Record<string, string>> = {
  name: 'The name',
  tagNames: 'The name of a tag',
  color: 'The colour',
  description: 'The description',
  takenAtLocal: 'The date and time',
  timeZone: 'The time zone',
};

/** The message of an error for a person, in a sentence or two. */
export function messageForPeople({ code, message, details }: DomainError): string {
  const errors = fieldErrorsForPeople({ details });
  const [error] = errors;
  if (error !== undefined) return errors.length === 1 ? startingWithName(error) : message;
  const ofLimit = code === 'limit_reached' ? limitWords[String(details?.['name'])] : undefined;
  return ofLimit?.(details?.['limit']) ?? words[code] ?? message;
}

/** The errors of fields. A message may begin with the name of its field, which the form replaces with its label. */
export function fieldErrorsForPeople({ details }: Pick<DomainError, 'details'>): readonly FieldError[] {
  const errors = (details?.['errors'] ?? []) as readonly FieldError[];
  return errors.map((error) => ({ ...error, message: fieldWords[`${error.field} ${error.code}`] ?? error.message }));
}

function startingWithName({ field, message }: FieldError): string {
  const name = fieldNames[field.replace(/\[.*/, '')];
  return name !== undefined && message.startsWith(`${field} `) ? name + message.slice(field.length) : message;
}
