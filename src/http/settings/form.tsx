import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { DomainError, type ErrorCode, type FieldError } from '../../core/shared/errors.js';
import { statusOfCode } from '../errors/status-of-code.js';
import { CSRF_FIELD } from './csrf.js';
import { fieldErrorsForPeople, messageForPeople } from './error-messages.js';

/** The token of the page that is being rendered. */
export const CsrfToken = createContext('');

interface FormProps {
  readonly action: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
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

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
  readonly errors?: Problems | null | undefined;
  /** Of the element: type, value, autocomplete, required … */
  readonly input?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Several lines instead of one. */
  readonly lines?: number;
  /** A choice of values with their labels instead of free text. */
  readonly choices?: readonly (readonly [value: string, label: string])[];
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
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
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

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: 'primary' | 'danger' | 'plain';
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

/** Above a form: the error in a sentence or, if the fields show it, a note that they do. */
export function ProblemSummary({ problems }: { problems: Problems | null | undefined }) {
  if (!problems) return null;
  return (
    <p class="flash failed" role="alert">
      {problems.isOfFields ? 'Nothing was saved. Correct the fields marked below.' : problems.message}
    </p>
  );
}
