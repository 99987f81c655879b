import type { PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoPatch } from '../../../core/photos/photo-patch.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { locationText } from './location-field.js';

/** The values of a photo's forms, as text. */
export interface PhotoFields {
  readonly title: string;
  readonly description: string;
  readonly rating: string;
  /** As `<input type="datetime-local">` has it: no seconds when they are 00. */
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
    takenAtLocal: photo.takenAtLocal ?? '',
    timeZone: photo.timeZone ?? '',
    location: locationText(photo.location),
  };
}

export function sentFields(form: FormFields): Omit<PhotoFields, 'location'> {
  const text = (name: string) => form.text(name, FieldLength.line);
  return {
    title: text('title'),
    // Browsers send line breaks as CRLF.
    description: form.text('description', FieldLength.text).replaceAll('\r\n', '\n'),
    rating: text('rating'),
    takenAtLocal: text('takenAtLocal').trim(),
    timeZone: text('timeZone').trim(),
  };
}

/** The patch that gives a photo the values of the form. Without a time there is no zone; without a zone the current one stays. */
export function patchOf({
  title,
  description,
  rating,
  takenAtLocal,
  timeZone,
}: ReturnType<typeof sentFields>): PhotoPatch {
  const time =
    takenAtLocal === ''
      ? { takenAtLocal: null }
      : { takenAtLocal: withSeconds(takenAtLocal), ...(timeZone !== '' && { timeZone }) };
  return {
    title: title.trim() || null,
    description: description.trim() || null,
    rating: rating === '' ? null : Number(rating),
    ...time,
  };
}

function withSeconds(local: string): string {
  return /T\d\d:\d\d$/.test(local) ? `${local}:00` : local;
}
