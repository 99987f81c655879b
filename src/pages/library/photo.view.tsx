import {
  type ClientField,
  clientFields,
  type GivenValues,
  type PhotoField,
  photoFields,
  valuesOf,
} from '../../core/media/photo-fields.js';
import type { ExifTags } from '../../core/media/picture-metadata.js';
import type { PhotoPatch } from '../../core/photos/edit-photo.js';
import type { Neighbours } from '../../core/photos/list-photos.js';
import { isTrashed, type PhotoWithTags } from '../../core/photos/photo.js';
import type { HttpOptions } from '../../http/http-options.js';
import { Button, Field, Form, ProblemSummary, type Problems, TimeZoneField } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type LibraryQuery, libraryPath, photoPath } from '../library-query/library-query.js';
import { useMayActAs } from '../page-context.js';
import { Buttons, Icon, LinkButton, Moment } from '../parts.js';
import { type PhotoWithUrls, Picture, photoName, pictureUrl, Tint } from '../picture.js';
import { ShownValues } from '../resource-form.js';
import { FocusForm, FocusMarker, LocationForm, locationText } from './location.view.js';
import { PhotoFacts } from './photo-facts.js';
import { ratings, ShiftFields, TagInput } from './selection.view.js';

/** The style of the library and of a photo, which the library's viewer shows, too. */
export const LIBRARY_STYLES = ['library.css', 'photo-grid.css', 'selection.css', 'photo.css'] as const;

export interface WrongForm {
  readonly name: 'details' | 'location';
  readonly problems: Problems;
}

interface PhotoProps {
  readonly shown: PhotoWithUrls;
  readonly exif: ExifTags | null;
  readonly fields: FormTexts;
  readonly wrong: WrongForm | null;
  readonly tiles: HttpOptions['mapTiles'];
  readonly neighbours: Neighbours;
  /** The list that the person came from. */
  readonly query: LibraryQuery;
}

export function PhotoPage({ shown, exif, fields, wrong, neighbours, query, tiles }: PhotoProps) {
  const { photo } = shown;
  const mayEdit = useMayActAs('editor') && !isTrashed(photo);
  const problemsOf = (form: WrongForm['name']) => (wrong?.name === form ? wrong.problems : null);
  const problems = problemsOf('details');
  return (
    <article class="photo">
      <nav class="beside" aria-label="Neighbouring photos">
        <a href={`${libraryPath(query)}#photo-${photo.id}`}>{query.trash ? 'Trash' : 'Library'}</a>
        <span class="steps">
          <Step id={neighbours.previous} query={query} rel="prev" text="Previous" />
          <Step id={neighbours.next} query={query} rel="next" text="Next" />
        </span>
      </nav>
      {isTrashed(photo) && (
        <p class="flash warn">
          This photo is in the trash. It will be permanently deleted on <Moment at={photo.purgeAt} />.
        </p>
      )}
      <figure>
        <a href={pictureUrl(shown, 'large')} class={photo.width >= photo.height ? 'wide' : 'tall'}>
          <Tint photo={photo} />
          <span class="picture">
            <Picture shown={shown} name="medium" sizes={photoWidths(photo)} />
            <FocusMarker focus={photo.focus} />
          </span>
        </a>
      </figure>
      <div class="about">
        <div class="heading">
          <div>
            <h1>{photoName(photo)}</h1>
            {photo.description && <p class="description">{photo.description}</p>}
          </div>
          <Actions photo={photo} query={query} />
        </div>
        <div class="columns">
          <section class="card">
            <h2>About this photo</h2>
            <PhotoFacts photo={photo} exif={exif} isEdited={mayEdit} />
          </section>
          {mayEdit && (
            <div class="editing">
              <section class="card">
                <h2>Tags</h2>
                {photo.tags.length === 0 ? (
                  <p class="soft">No tags yet.</p>
                ) : (
                  <Form action={photoPath(photo.id, query, '/tags/remove')} label="Tags of this photo">
                    <ul class="tags">
                      {photo.tags.map(({ id, name }) => (
                        <li key={id} class="badge">
                          <a href={`/settings/library?${new URLSearchParams({ tag: name })}`}>{name}</a>
                          <button type="submit" name="tag" value={id} aria-label={`Remove tag ${name}`}>
                            ×
                          </button>
                        </li>
                      ))}
                    </ul>
                  </Form>
                )}
                <Form action={photoPath(photo.id, query, '/tags')} class="add-tag" label="Add a tag">
                  <label class="unseen" for="new-tag">
                    Name of a tag
                  </label>
                  <TagInput id="new-tag" placeholder="New or known tag" required />
                  <Button kind="plain">Add</Button>
                </Form>
              </section>
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
              <LocationForm {...{ photo, query, tiles }} text={fields.location} problems={problemsOf('location')} />
              <FocusForm photo={photo} query={query} />
            </div>
          )}
        </div>
      </div>
    </article>
  );
}

/**
 * The attribute `sizes` of the picture: as wide as its column, unless the height of the window bounds it (photo.css); never wider than it
 * has pixels, for it would be stretched to this width.
 */
function photoWidths({ width, height }: PhotoWithTags): string {
  const shape = (width / height).toFixed(2);
  const most = `${width}px`;
  return `(min-width: 75rem) min(${most}, 100vw - 29.5rem, (100vh - 12rem) * ${shape}), min(${most}, 100vw, 64vh * ${shape})`;
}

function Step({ id, query, rel, text }: { id: number | null; query: LibraryQuery; rel: string; text: string }) {
  if (id === null) return <span class="soft">{text}</span>;
  return (
    <a href={photoPath(id, query)} rel={rel}>
      {text}
    </a>
  );
}

function Actions({ photo, query }: { photo: PhotoWithTags; query: LibraryQuery }) {
  const mayEdit = useMayActAs('editor');
  if (isTrashed(photo)) {
    return (
      mayEdit && (
        <div class="actions">
          <Form action={photoPath(photo.id, query, '/restore')}>
            <Button>
              <Icon name="archive-restore" /> Restore
            </Button>
          </Form>
          <LinkButton href={photoPath(photo.id, query, '/delete')} label="Delete permanently" kind="danger" />
        </div>
      )
    );
  }
  return (
    <div class="actions">
      {photo.originalLostAt === null && (
        <a class="button primary" href={`/settings/photos/${photo.id}/original`} download={photo.filename}>
          <Icon name="download" /> Download original
        </a>
      )}
      {mayEdit && (
        <Form action={photoPath(photo.id, query, '/trash')}>
          <Button kind="plain">
            <Icon name="trash" /> Move to trash
          </Button>
        </Form>
      )}
    </div>
  );
}

const noOrYes = [
  ['', 'No'],
  ['true', 'Yes'],
] as const;

/** Fields of a photo that the form has, in its order. A location has a form of its own; an external id belongs to the program that gave it. */
type FormField = Exclude<ClientField, 'location' | 'externalId'>;
const formFields = clientFields.filter((name): name is FormField => name !== 'location' && name !== 'externalId');

/** The input of a field, by its kind. A file's own fields, and positions, have none here. */
function FieldOfPhoto({ name, value, problems }: { name: FormField; value: string; problems: Problems | null }) {
  const field: PhotoField = photoFields[name];
  const { label } = field;
  const shared = { label, name, errors: problems };
  switch (field.kind) {
    case 'text': {
      const input = { value, ...(field.lines === 1 && { maxLength: field.max }) };
      return <Field {...shared} {...(field.lines > 1 && { lines: field.lines })} input={input} />;
    }
    case 'whole':
      return <Field {...shared} choices={ratings} input={{ value }} />;
    case 'flag':
      return <Field {...shared} choices={noOrYes} input={{ value }} />;
    default:
      return null;
  }
}

function textOf(name: FormField, photo: PhotoWithTags): string {
  const value = photo[name];
  const text = value === null || value === false ? '' : String(value);
  const field: PhotoField = photoFields[name];
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

export type DetailTexts = Omit<FormTexts, 'location'>;

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
      : { takenAtLocal: withSeconds(takenAtLocal), ...(timeZone !== '' && { timeZone }) };
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

function withSeconds(local: string): string {
  return /T\d\d:\d\d$/.test(local) ? `${local}:00` : local;
}
