import { createHash } from 'node:crypto';
import { invalid } from '../core/shared/errors.js';
import { FieldLength, type FormFields } from './form-fields.js';

const NAME = 'shown';

/** The values that a form shows when it is opened, so that it changes only what its reader has changed, and notices what others have. */
export function ShownValues({ fields }: { fields: object }) {
  const digests = Object.entries(fields).map(([name, value]) => `${name}:${digestOf(value)}`);
  return <input type="hidden" name={NAME} value={digests.join(' ')} />;
}

export interface Edits<Fields> {
  /** The fields whose values are not those that the form showed. */
  readonly changed: Partial<Fields>;
  /** Errors: `invalid_request` for each of them that has another value by now, and not the sent one either. */
  requireUnchanged(current: Fields): void;
}

/** The edits of a form with `ShownValues`; without them every field is one. */
export function editsOf<Fields extends object>(form: FormFields, sent: Fields): Edits<Fields> {
  const shown = new Map(
    form
      .text(NAME, FieldLength.line)
      .split(' ')
      .map((each) => each.split(':', 2) as [string, string]),
  );
  const isShown = (name: string, value: unknown) => shown.get(name) === digestOf(value);
  const changed = Object.entries(sent).filter(([name, value]) => !isShown(name, value));
  return {
    changed: Object.fromEntries(changed) as Partial<Fields>,
    requireUnchanged: (current) => {
      const now = new Map<string, unknown>(Object.entries(current));
      const elsewhere = changed.filter(([name, value]) => {
        const [before, theirs] = [shown.get(name), digestOf(now.get(name))];
        return before !== undefined && theirs !== before && theirs !== digestOf(value);
      });
      if (elsewhere.length > 0) throw invalid(...elsewhere.map(([name]) => changedElsewhere(name, now.get(name))));
    },
  };
}

function changedElsewhere(field: string, value: unknown) {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const what = text === '' ? 'This was removed' : `This was changed to “${text}”`;
  const message = `${what} while you edited it. Save again to replace that by yours.`;
  return { field, code: 'conflict', message } as const;
}

/** Browsers send line breaks as CRLF. */
function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? '').replaceAll('\\r\\n', '\\n'))
    .digest('base64url')
    .slice(0, 16);
}
