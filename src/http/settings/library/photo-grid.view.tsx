import type { PhotoWithTags } from '../../../core/photos/photo.js';
import { Allowed } from '../allowed.js';
import { type LibraryQuery, photoPath } from './library-query.js';
import type { PhotoSection } from './photo-sections.js';
import { type PhotoWithUrls, Picture, photoName, shapeClass, Tint } from './picture.js';
import { type TileSize, tileWidths } from './tile-size.js';

interface GridProps {
  readonly query: LibraryQuery;
  readonly size: TileSize;
}

/** Photos under the months in which they were taken or added. */
export function PhotoSections({ sections, ...grid }: GridProps & { sections: readonly PhotoSection[] }) {
  return (
    <div class="sections" data-size={grid.size}>
      {sections.map(({ month, title, photos }) => (
        <section key={month} data-month={month} aria-label={title ?? undefined}>
          {title && <h2>{title}</h2>}
          <PhotoTiles photos={photos} {...grid} />
        </section>
      ))}
    </div>
  );
}

export function PhotoTiles({ photos, ...grid }: GridProps & { photos: readonly PhotoWithUrls[] }) {
  return (
    <ul class="grid">
      {photos.map((shown) => (
        <Tile key={shown.photo.id} shown={shown} {...grid} />
      ))}
    </ul>
  );
}

/** A photo in the grid, to look at or to select. */
function Tile({ shown, query, size }: GridProps & { shown: PhotoWithUrls }) {
  const { photo } = shown;
  return (
    <li
      id={`photo-${photo.id}`}
      class={shapeClass(photo)}
      data-thumbhash={(photo.rotation === 0 && photo.thumbhash) || undefined}
    >
      <a
        href={photoPath(photo.id, query)}
        data-width={photo.width}
        data-height={photo.height}
        data-taken={photo.takenAtLocal ?? undefined}
        data-original={isDisplayable(photo) ? `/settings/photos/${photo.id}/original` : undefined}
      >
        <Tint photo={photo} />
        <Picture shown={shown} name="thumb" sizes={tileWidths(size, photo)} />
      </a>
      <Allowed least="editor">
        <input
          type="checkbox"
          name="ids"
          value={photo.id}
          autocomplete="off"
          aria-label={`Select ${photoName(photo)}`}
        />
      </Allowed>
    </li>
  );
}

/** Formats that browsers display themselves. */
const displayable = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];

/** Whether the original's pixels are those of the photo: a browser knows nothing of how a person has turned it. */
function isDisplayable({ contentType, rotation, originalLostAt, trashedAt }: PhotoWithTags): boolean {
  return displayable.includes(contentType) && rotation === 0 && originalLostAt === null && trashedAt === null;
}
