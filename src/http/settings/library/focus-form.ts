import type { Focus } from '../../../core/media/transformation.js';
import { FieldLength, type FormFields } from '../form-fields.js';

/** Of the width or height of a photo, for people, in hundredths: finer than a pixel of most screens. */
export function percentOf(share: number): number {
  return Number((share * 100).toFixed(2));
}

/** The point of the form. What is not a number is out of range. */
export function sentFocus(form: FormFields): Focus {
  const share = (name: 'x' | 'y') => {
    const text = form.text(name, FieldLength.line).trim();
    return text === '' ? Number.NaN : Number((Number(text) / 100).toFixed(4));
  };
  return { x: share('x'), y: share('y') };
}
