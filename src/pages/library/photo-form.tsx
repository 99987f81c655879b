import type { VNode } from 'preact';
import {
  type ClientField,
  clientFields,
  type GivenValues,
  photoFields,
  valuesOf,
} from '../../core/media/photo-fields.js';
import type { PhotoPatch } from '../../core/photos/edit-photo.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import { Button, Field, Form, ProblemSummary, type Problems, TimeZoneField } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type LibraryQuery, photoPath } from '../library-query/library-query.js';
import { Buttons } from '../parts.js';
import { ShownValues } from '../resource-form.js';
import { locationText } from './location.view.js';
import { ratings, ShiftFields } from './selection.view.js';

interface DetailsProps {
  readonly photo: PhotoWithTags;
  readonly query: LibraryQuery;
  readonly fields: FormTexts;
  readonly problems: Problems | null;
}

/** The form of what a photo says about itself, and the one that shifts its time. */
export function DetailsForm({ photo, query, fields, problems }: DetailsProps) {
  return (
    <section class="card">
      <h2>Details</h2>
      <ProblemSummary problems={problems} />
      <Form action={photoPath(photo.id, query)} label="Details of this photo">
        <ShownValues fields={fieldsOf(photo)} />
        {formFields.map((name) => (
          <FieldOfPhoto key={name} name={name} value={fields[name]} problems={problems} />
        ))}
        <Field
          label="Taken at"
          name="takenAtLocal"
          errors={problems}
          hint="Local time where it was taken."
          input={{ type: 'datetime-local', value: fields.takenAtLocal, step: 'any' }}
        />
        <TimeZoneField
          label="Time zone"
          name="timeZone"
          errors={problems}
          hint="For example Europe/Paris or +01:00."
          input={{ value: fields.timeZone }}
        />
        <Buttons label="Save" />
      </Form>
      {photo.takenAtLocal !== null && (
        <details>
          <summary>Shift the capture time</summary>
          <Form action={photoPath(photo.id, query, '/shift')} class="shift" label="Shift the capture time">
            <ShiftFields />
            <Button kind="plain">Change time</Button>
          </Form>
        </details>
      )}
    </section>
  );
}

/** Fields of a photo that the form has, in its order. A location has a form of its own; an external id belongs to the program that gave it. */
type FormField = Exclude<ClientField, 'location' | 'externalId'>;
const formFields = clientFields.filter((name): name is FormField => name !== 'location' && name !== 'externalId');

/** The input of a field, by its kind: a kind without one does not compile. */
function FieldOfPhoto({ name, value, problems }: { name: FormField; value: string; problems: Problems | null }): VNode {
  const field = photoFields[name];
  const shared = { label: field.label, name, errors: problems };
  switch (field.kind) {
    case 'text': {
      const input = { value, ...(field.lines === 1 && { maxLength: field.max }) };
      return <Field {...shared} {...(field.lines > 1 && { lines: field.lines })} input={input} />;
    }
    case 'whole':
      if (name === 'rating') return <Field {...shared} choices={ratings} input={{ value }} />;
      return <Field {...shared} input={{ type: 'number', min: field.min, max: field.max, value }} />;
    case 'flag': {
      const choices = [['', 'No'] as const, ['true', 'Yes'] as const];
      return <Field {...shared} choices={choices} input={{ value }} />;
    }
  }
}

function textOf(name: FormField, photo: PhotoWithTags): string {
  const value = photo[name];
  const text = value === null || value === false ? '' : String(value);
  const field = photoFields[name];
  // Browsers leave line breaks out of an input of one line, and would send another text than was shown.
  return field.kind === 'text' && field.lines === 1 ? text.replace(/[\r\n]+/g, ' ') : text;
}

function sentValue(name: FormField, sent: string): string | number | boolean | null {
  const { kind } = photoFields[name];
  if (kind === 'flag') return sent !== '';
  const text = sent.trim();
  if (text === '') return null;
  return kind === 'whole' ? Number(text) : text;
}

export interface FormTexts extends Readonly<Record<FormField, string>> {
  /** The time as `<input type="datetime-local">` sends it. */
  readonly takenAtLocal: string;
  readonly timeZone: string;
  /** `48.8584, 2.2945`; empty for none. */
  readonly location: string;
}

export function fieldsOf(photo: PhotoWithTags): FormTexts {
  return {
    ...valuesOf(formFields, (name) => textOf(name, photo)),
    takenAtLocal: clockText(photo.takenAtLocal ?? ''),
    timeZone: photo.timeZone ?? '',
    location: locationText(photo.location),
  };
}

type DetailTexts = Omit<FormTexts, 'location'>;

export function sentFields(form: FormFields): DetailTexts {
  // Browsers send line breaks as CRLF.
  const text = (name: string) => form.text(name, FieldLength.text).replaceAll('\r\n', '\n');
  return {
    // A page of the release before lacks some of the inputs: those stay as they are.
    ...(valuesOf(
      formFields.filter((name) => form.has(name)),
      text,
    ) as Readonly<Record<FormField, string>>),
    takenAtLocal: clockText(text('takenAtLocal').trim()),
    timeZone: text('timeZone').trim(),
  };
}

/**
 * The patch that gives a photo the changed values of the form. A time and its zone are changed together: without a time there is no zone;
 * without a zone the current one stays.
 */
export function patchOf(changed: Partial<DetailTexts>, { takenAtLocal, timeZone }: DetailTexts): PhotoPatch {
  const edited = formFields.filter((name) => changed[name] !== undefined);
  const time =
    takenAtLocal === ''
      ? { takenAtLocal: null }
      : { takenAtLocal: takenAtLocal.replace(/T\d\d:\d\d$/, '$&:00'), ...(timeZone !== '' && { timeZone }) };
  return {
    ...(valuesOf(edited, (name) => sentValue(name, changed[name] ?? '')) as GivenValues),
    ...((changed.takenAtLocal !== undefined || changed.timeZone !== undefined) && time),
  };
}

/** Browsers leave out seconds that are 0, and zeros at the end of a fraction (HTML, normalized local date and time). */
function clockText(local: string): string {
  const [seconds = '', fraction = ''] = local.split('.');
  const digits = /^\d{1,9}$/.test(fraction) ? String(Number(`0.${fraction}`)).slice(2) : fraction;
  return digits !== '' ? `${seconds}.${digits}` : seconds.replace(/(T\d\d:\d\d):00$/, '$1');
}
