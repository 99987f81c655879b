import { acceptedFormats } from '../../../core/media/formats.js';
import { bestOf, MAX_GROUP } from '../../../core/photos/similar/similar-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { bytes, number, pluralize } from '../counted.js';
import { Button, Form } from '../form.js';
import { localizable } from '../localized.js';
import { Badge, Empty, Heading } from '../parts.js';
import { type PhotoWithUrls, Picture, photoName } from '../picture.js';
import { similarPath } from './similar-query.js';

type Group = readonly PhotoWithUrls[];

interface SimilarProps {
  readonly groups: readonly Group[];
  /** Of this page; null on the first. */
  readonly after: Id | null;
  readonly next: Id | null;
}

export function SimilarPage({ groups, after, next }: SimilarProps) {
  return (
    <>
      <Heading
        title="Similar photos"
        lead="Photos that look alike: mostly copies in other sizes, formats or qualities. Choose which to keep."
      />
      {groups.length === 0 && <Nothing after={after} next={next} />}
      {groups.map((group) => (
        <SimilarGroup key={group[0]?.photo.id} group={group} after={after} />
      ))}
      {(after !== null || next !== null) && (
        <nav class="similar-pages" aria-label="Pages of similar photos">
          {after !== null && (
            <a class="button plain small" href={similarPath(null)}>
              First page
            </a>
          )}
          {next === null ? (
            <span class="hint">This is the last page.</span>
          ) : (
            <a class="button plain small" href={similarPath(next)} rel="next">
              {groups.length === 0 ? 'Continue the search' : 'Next page'}
            </a>
          )}
        </nav>
      )}
    </>
  );
}

function Nothing({ after, next }: Pick<SimilarProps, 'after' | 'next'>) {
  if (next !== null) {
    return (
      <Empty title="Nothing here yet">
        <p>None of the photos that were compared for this page look alike. Continue with the next ones.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="images" title={after === null ? 'No similar photos' : 'No more similar photos'}>
      <p>Photos are compared after they are imported. Those that look alike appear here.</p>
    </Empty>
  );
}

function SimilarGroup({ group, after }: { group: Group; after: Id | null }) {
  const photos = group.map(({ photo }) => photo);
  const best = bestOf(photos);
  const [first] = photos;
  return (
    <section class="card similar" aria-labelledby={`group-${first?.id}`}>
      <h2 id={`group-${first?.id}`}>
        {pluralize(photos.length, 'similar photo')}
        <span class="unseen"> of group {first?.id}</span>
      </h2>
      {photos.length === MAX_GROUP && <p class="hint">There may be more: they appear when this group is smaller.</p>}
      <Form action={similarPath(after, '/keep')}>
        <ul class="alike">
          {group.map((shown) => (
            <SimilarPhoto key={shown.photo.id} shown={shown} isBest={shown.photo.id === best?.id} />
          ))}
        </ul>
        <div class="buttons">
          <Button>Move the others to the trash</Button>
          <button type="submit" class="button plain" formaction={similarPath(after, '/separate')}>
            These are different
          </button>
        </div>
      </Form>
    </section>
  );
}

function SimilarPhoto({ shown, isBest }: { shown: PhotoWithUrls; isBest: boolean }) {
  const { id, filename, contentType, sizeBytes, width, height, takenAtLocal, rating, tags } = shown.photo;
  const format = acceptedFormats.find((each) => each.contentType === contentType)?.name ?? contentType;
  return (
    <li>
      <a class="look" href={`/settings/photos/${id}`}>
        <Picture shown={shown} name="thumb" sizes="(max-width: 40rem) 7rem, 16rem" />
      </a>
      <div class="about">
        <label class="keep">
          <input type="checkbox" name="keep" value={id} checked={isBest} autocomplete="off" />
          Keep <span class="unseen">{photoName(shown.photo)}</span>
          {isBest && <Badge tone="good">Best</Badge>}
        </label>
        <input type="hidden" name="ids" value={id} />
        <p class="name">{filename}</p>
        <p>
          {number(width)} × {number(height)} · {bytes(sizeBytes)} · {format}
        </p>
        <p>{takenAtLocal === null ? 'Date not known' : localizable('time', takenAtLocal.slice(0, 19))}</p>
        {rating !== null && rating > 0 && (
          <p>
            <span aria-hidden="true">{'★'.repeat(rating)}</span>
            <span class="unseen">{pluralize(rating, 'star')}</span>
          </p>
        )}
        {tags.length > 0 && (
          <p class="tags-of">
            {tags.map(({ id: tagId, name }) => (
              <Badge key={tagId}>{name}</Badge>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}
