import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { invalid } from '../core/shared/errors.js';
import type { Precondition } from '../core/shared/transactional.js';
import type { Reply } from '../http/responses/reply.js';
import { Form, ProblemSummary, type Problems, problemsOf } from './form.js';
import { FieldLength, type FormFields } from './form-fields.js';
import type { PageContext } from './page-context.js';
import { Buttons, Card } from './parts.js';

interface ResourceForm<Resource, Fields extends object, Values extends object> {
  /** The fields of a new one, as typed: texts, boxes (true or false), and groups of boxes (lists). */
  readonly blank: Fields;
  /** The texts that are longer or shorter than a line. White space around a word means nothing. */
  readonly lengths: { readonly [Name in keyof Fields]?: FieldLength };
  readonly fieldsOf: (resource: Resource) => Fields;
  /** Errors: `invalid_request`. */
  readonly valuesOf: (fields: Fields) => Values;
}

export interface FormState<Resource, Fields> {
  /** Null: a new one. */
  readonly subject: Resource | null;
  readonly fields: Fields;
  readonly problems: Problems | null;
}

type Show<Resource, Fields> = (state: FormState<Resource, Fields>) => Reply | Promise<Reply>;

/** Creates a resource from what was sent, or shows the form again with its problems. */
export async function saveNew<Resource, Fields extends object, Values extends object>(
  { form }: PageContext,
  of: ResourceForm<Resource, Fields, Values>,
  save: (values: Values, fields: Fields) => Promise<Reply>,
  show: Show<Resource, Fields>,
): Promise<Reply> {
  const fields = sentFields(form, of);
  try {
    return await save(of.valuesOf(fields), fields);
  } catch (error) {
    return show({ subject: null, fields, problems: problemsOf(error) });
  }
}

/**
 * Saves the values that were changed in the form of a resource, or shows it again with its problems. What others have changed since the form
 * was opened is kept; where they changed the same fields, that is a problem, found by `check` if it happens after the resource was read.
 */
export async function saveEdits<Resource, Fields extends object, Values extends object>(
  { form }: PageContext,
  of: ResourceForm<Resource, Fields, Values>,
  subject: Resource,
  save: (changes: Partial<Values>, check: Precondition<Resource>, fields: Fields) => Promise<Reply>,
  show: Show<Resource, Fields>,
): Promise<Reply> {
  const shown = of.fieldsOf(subject);
  const { changed, requireUnchanged } = editsOf(form, sentFields(form, of));
  const fields = { ...shown, ...changed };
  try {
    requireUnchanged(shown);
    const before = new Map<string, unknown>(Object.entries(of.valuesOf(shown)));
    const changes = Object.entries(of.valuesOf(fields)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
    );
    const check = (current: Resource) => requireUnchanged(of.fieldsOf(current));
    return await save(Object.fromEntries(changes) as Partial<Values>, check, fields);
  } catch (error) {
    return show({ subject, fields, problems: problemsOf(error) });
  }
}

function sentFields<Fields extends object>(
  form: FormFields,
  { blank, lengths }: Pick<ResourceForm<never, Fields, object>, 'blank' | 'lengths'>,
): Fields {
  const read = (name: string, value: unknown) => {
    if (typeof value === 'boolean') return form.has(name);
    if (Array.isArray(value)) return form.all(name, FieldLength.word);
    const length = lengths[name as keyof Fields] ?? FieldLength.line;
    const text = form.text(name, length);
    return length === FieldLength.word ? text.trim() : text;
  };
  return Object.fromEntries(Object.entries(blank).map(([name, value]) => [name, read(name, value)])) as Fields;
}

interface FormCardProps {
  readonly title?: string;
  readonly lead?: string;
  readonly action: string;
  readonly label?: string;
  /** The problems to name above the form; those of its fields are beside them. */
  readonly problems?: Problems | null;
  /** The fields of a resource that is there already. */
  readonly shown?: object | null;
  readonly button: string;
  readonly cancel?: string;
  /** Buttons between the two. */
  readonly others?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function FormCard({ title, lead, action, label, problems, shown, children, ...end }: FormCardProps) {
  return (
    <Card title={title} lead={lead}>
      <ProblemSummary problems={problems} />
      <Form action={action} label={label}>
        {shown && <ShownValues fields={shown} />}
        {children}
        <Buttons label={end.button} cancel={end.cancel}>
          {end.others}
        </Buttons>
      </Form>
    </Card>
  );
}

const NAME = 'shown';

/** The values that a form shows when it is opened, so that it changes only what its reader has changed, and notices what others have. */
export function ShownValues({ fields }: { fields: object }) {
  const digests = Object.entries(fields).map(([name, value]) => `${name}:${digestOf(value)}`);
  return <input type="hidden" name={NAME} value={digests.join(' ')} />;
}

/** The edits of a form with `ShownValues`; without them every field is one. */
export function editsOf<Fields extends object>(form: FormFields, sent: Fields) {
  const shown = new Map(
    form
      .text(NAME, FieldLength.line)
      .split(' ')
      .map((each) => each.split(':', 2) as [string, string]),
  );
  const isShown = (name: string, value: unknown) => shown.get(name) === digestOf(value);
  const changed = Object.entries(sent).filter(([name, value]) => !isShown(name, value));
  return {
    /** The fields whose values are not those that the form showed. */
    changed: Object.fromEntries(changed) as Partial<Fields>,
    /** Errors: `invalid_request` for each of them that has another value by now, and not the sent one either. */
    requireUnchanged: (current: Fields): void => {
      const now = new Map<string, unknown>(Object.entries(current));
      const elsewhere = changed.filter(([name, value]) => {
        const [before, theirs] = [shown.get(name), digestOf(now.get(name))];
        return before !== undefined && theirs !== before && theirs !== digestOf(value);
      });
      const conflicts = elsewhere.map(([field]) => {
        const value = now.get(field);
        const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
        const what = text === '' ? 'This was removed' : `This was changed to “${text}”`;
        const message = `${what} while you edited it. Save again to replace that by yours.`;
        return { field, code: 'conflict', message } as const;
      });
      if (conflicts.length > 0) throw invalid(...conflicts);
    },
  };
}

/** Browsers send line breaks as CRLF. */
function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? '').replaceAll('\\r\\n', '\\n'))
    .digest('base64url')
    .slice(0, 16);
}
