import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoPatch } from '../../../core/photos/photo-patch.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { locationText } from './location-field.js';

/** The values of a photo's forms, as text. */
export interface PhotoFields {
  readonly title: string;
  readonly description: string;
  readonly rating: string;
  /** As `<input type="datetime-local">` sends it. */
  readonly takenAtLocal: string;
  readonly timeZone: string;
  /** `48.8584, 2.2945`; empty for none. */
  readonly location: string;
}

export function fieldsOf(photo: PhotoWithTags): PhotoFields {
  return {
    title: photo.title ?? '',
    description: photo.description ?? '',
    rating: photo.rating === null ? '' : String(photo.rating),
    takenAtLocal: clockText(photo.takenAtLocal ?? ''),
    timeZone: photo.timeZone ?? '',
    location: locationText(photo.location),
  };
}

export type DetailFields = Omit<PhotoFields, 'location'>;

export function sentFields(form: FormFields): DetailFields {
  const text = (name: string) => form.text(name, FieldLength.line);
  return {
    title: text('title'),
    // Browsers send line breaks as CRLF.
    description: form.text('description', FieldLength.text).replaceAll('\r\n', '\n'),
    rating: text('rating'),
    takenAtLocal: clockText(text('takenAtLocal').trim()),
    timeZone: text('timeZone').trim(),
  };
}

/**
 * The patch that gives a photo the changed values of the form. A time and its zone are changed together: without a time there is no zone;
 * without a zone the current one stays.
 */
export function patchOf(changed: Partial<DetailFields>, { takenAtLocal, timeZone }: DetailFields): PhotoPatch {
  const { title, description, rating } = changed;
  const time =
    takenAtLocal === ''
      ? { takenAtLocal: null }
      : { takenAtLocal: withSeconds(takenAtLocal), ...(timeZone !== '' && { timeZone }) };
  return {
    ...(title !== undefined && { title: title.trim() || null }),
    ...(description !== undefined && { description: description.trim() || null }),
    ...(rating !== undefined && { rating: rating === '' ? null : Number(rating) }),
    ...((changed.takenAtLocal !== undefined || changed.timeZone !== undefined) && time),
  };
}

/** Browsers leave out seconds that are 0, and zeros at the end of a fraction (HTML, normalized local date and time). */
function clockText(local: string): string {
  const [seconds = '', fraction = ''] = local.split('.');
  const digits = /^\d{1,9}$/.test(fraction) ? String(Number(`0.${fraction}`)).slice(2) : fraction;
  return digits !== '' ? `${seconds}.${digits}` : seconds.replace(/(T\d\d:\d\d):00$/, '$1');
}

function withSeconds(local: string): string {
  return /T\d\d:\d\d$/.test(local) ? `${local}:00` : local;
}
