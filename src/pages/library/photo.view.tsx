import type { ExifTags } from '../../core/media/picture-metadata.js';
import type { Neighbours } from '../../core/photos/list-photos.js';
import { isTrashed, type PhotoWithTags } from '../../core/photos/photo.js';
import type { HttpOptions } from '../../http/http-options.js';
import { Button, Form, type Problems } from '../form.js';
import { type LibraryQuery, libraryPath, photoPath } from '../library-query/library-query.js';
import { useMayActAs } from '../page-context.js';
import { Icon, LinkButton, Moment } from '../parts.js';
import { type PhotoWithUrls, Picture, photoName, pictureUrl, Tint } from '../picture.js';
import { FocusForm, FocusMarker, LocationForm } from './location.view.js';
import { PhotoFacts } from './photo-facts.js';
import { DetailsForm, type FormTexts } from './photo-form.js';
import { TagInput } from './selection.view.js';

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
              <DetailsForm {...{ photo, query, fields }} problems={problemsOf('details')} />
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
