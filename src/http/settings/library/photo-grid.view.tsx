import { renditionSizes } from '../../../core/media/media-reader.js';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import { Allowed } from '../allowed.js';
import { type LibraryQuery, photoPath } from '../library-query/library-query.js';
import { type PhotoWithUrls, Picture, photoName, shapeClass, Tint } from '../picture.js';
import type { PhotoSection } from './photo-sections.js';
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
        data-original={sharpest(photo)}
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

/**
 * The address of all pixels of the photo: those of the original, where a browser can display it and nobody has turned the photo; otherwise,
 * if the largest rendition has fewer, a picture that is made of them.
 */
function sharpest({ id, contentType, rotation, width, height, ...photo }: PhotoWithTags): string | undefined {
  if (photo.originalLostAt !== null || photo.trashedAt !== null) return undefined;
  if (displayable.includes(contentType) && rotation === 0) return `/settings/photos/${id}/original`;
  return Math.max(width, height) > renditionSizes.large ? `/settings/photos/${id}/full` : undefined;
}
