import type { BulkActionInput } from '../../../core/bulk-edits/bulk-action.js';
import { FieldLength, type FormFields } from '../form-fields.js';

/** The buttons below the photos that start an edit. */
export const editButtons = [
  'tag',
  'untag',
  'rate',
  'shift',
  'rotate-left',
  'rotate-half',
  'rotate-right',
  'trash',
  'restore',
] as const;
export type EditButton = (typeof editButtons)[number];

export function isEditButton(text: string): text is EditButton {
  return (editButtons as readonly string[]).includes(text);
}

/** The action of a button, with the fields beside it. What is not a number is out of range. */
export function sentAction(button: EditButton, form: FormFields): BulkActionInput {
  switch (button) {
    case 'tag':
      return { kind: 'add_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'untag':
      return { kind: 'remove_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'rate': {
      const rating = form.text('rating', FieldLength.word);
      return { kind: 'set_rating', rating: rating === '' ? null : Number(rating) };
    }
    case 'shift':
      return {
        kind: 'shift_time',
        seconds: sentSeconds(form),
        timeZone: form.text('timeZone', FieldLength.line).trim() || null,
      };
    case 'rotate-left':
      return { kind: 'rotate', degrees: 270 };
    case 'rotate-half':
      return { kind: 'rotate', degrees: 180 };
    case 'rotate-right':
      return { kind: 'rotate', degrees: 90 };
    case 'trash':
    case 'restore':
      return { kind: button };
  }
}

const unitSeconds = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

/** Later by so many seconds, or earlier if negative, as `ShiftFields` sends them. */
export function sentSeconds(form: FormFields): number {
  const sum = Object.entries(unitSeconds).reduce(
    (total, [name, length]) => total + Number(form.text(name, FieldLength.line)) * length,
    0,
  );
  // No −0.
  return form.text('direction', FieldLength.word) === 'back' ? 0 - sum : sum;
}
