import { isWithin, latitudes, longitudes } from '../../core/media/photo-fields.js';
import type { GeoPoint } from '../../core/media/picture-metadata.js';
import type { Focus } from '../../core/media/transformation.js';
import { focusPoints, type PhotoWithTags } from '../../core/photos/photo.js';
import { invalid } from '../../core/shared/errors.js';
import type { HttpOptions } from '../../http/http-options.js';
import { Button, Field, Form, OtherAction, type Problems } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type LibraryQuery, photoPath } from '../library-query/library-query.js';
import { useHasArea } from '../page-context.js';
import { ShownValues } from '../resource-form.js';
import { Drawing, MapTiles, mapPathAround, viewAround, zooms } from './world.js';

interface LocationProps {
  readonly photo: PhotoWithTags;
  readonly query: LibraryQuery;
  readonly text: string;
  readonly problems: Problems | null;
  readonly tiles: HttpOptions['mapTiles'];
}

/** With its script (location-map.ts) the place is chosen on the map. The field works without, and takes what other maps show. */
export function LocationForm({ photo: { id, location }, query, text, problems, tiles }: LocationProps) {
  const view = viewAround(location);
  const hasMap = useHasArea('map');
  const label = location === null ? 'Map of the world' : 'Map of the location';
  return (
    <section class="card" data-location>
      <h2>Location</h2>
      <div class="map small-map" data-map="root" hidden={location === null}>
        <Drawing position={location} view={view} label={label}>
          <MapTiles tiles={tiles} view={view} />
        </Drawing>
        <div class="zoom" hidden>
          {zooms.map(({ name, label: action, text: sign }) => (
            <button key={name} type="button" class="button plain" data-map={name} aria-label={action}>
              {sign}
            </button>
          ))}
        </div>
      </div>
      <p class="hint" data-map="hint" hidden>
        Click the map to place the pin, then drag it or move it with the arrow keys.
      </p>
      <p class="unseen" role="status" data-map="status" />
      <Form action={photoPath(id, query, '/location')} label="Location of this photo">
        <ShownValues fields={{ location: locationText(location) }} />
        <Field
          label="Latitude and longitude"
          name="location"
          errors={problems}
          hint="In degrees, for example 48.8584, 2.2945."
          input={{ value: text, autocomplete: 'off', spellcheck: false, required: true }}
        />
        <div class="buttons">
          <Button kind="plain">Save location</Button>
          {location !== null && (
            <>
              <OtherAction path={photoPath(id, query, '/location/remove')} label="Remove location" />
              {hasMap && <a href={mapPathAround(location)}>Show on the map</a>}
            </>
          )}
        </div>
      </Form>
    </section>
  );
}

/** `48.8584, 2.2945`, as maps show it to be copied; empty without a location. */
export function locationText(location: GeoPoint | null): string {
  return location === null ? '' : `${location.latitude}, ${location.longitude}`;
}

/** Latitude and longitude in degrees. Errors: `invalid_request`. */
export function readLocation(text: string): Omit<GeoPoint, 'altitude'> {
  const degrees = '([+-]?\\d{1,3}(?:\\.\\d+)?)°?';
  const parts = new RegExp(`^${degrees}[\\s,;]+${degrees}$`).exec(text);
  const [latitude, longitude] = [Number(parts?.[1] ?? Number.NaN), Number(parts?.[2] ?? Number.NaN)];
  if (isWithin(latitudes, latitude) && isWithin(longitudes, longitude)) return { latitude, longitude };
  const message = 'Enter latitude and longitude in degrees, for example 48.8584, 2.2945.';
  throw invalid({ field: 'location', code: 'invalid_format', message });
}

/** The focus on the picture, to stand in the same box. Its place is an attribute of SVG: pages have no inline styles. */
export function FocusMarker({ focus }: { focus: PhotoWithTags['focus'] }) {
  if (focus === null) return null;
  const center = { cx: `${percentOf(focus.x)}%`, cy: `${percentOf(focus.y)}%` };
  return (
    <svg class="focus-marker" role="img" aria-label="Focus">
      <circle {...center} r="13" class="ring" />
      <circle {...center} r="3" class="dot" />
    </svg>
  );
}

/** With its script (focus.js) the point is chosen on the photo; the two numbers work without, and from a keyboard. */
export function FocusForm({ photo, query }: { photo: PhotoWithTags; query: LibraryQuery }) {
  const { focus } = photo;
  const input = (value: number | undefined) => ({
    type: 'number',
    inputmode: 'decimal',
    min: percentOf(focusPoints.min),
    max: percentOf(focusPoints.max),
    step: 'any',
    required: true,
    value: value === undefined ? '' : percentOf(value),
  });
  return (
    <section class="card" data-focus>
      <h2>Focus</h2>
      <p class="hint">The point that stays in view when the photo is cropped. Without one, the middle does.</p>
      <div class="choose" hidden>
        <button type="button" class="button plain" aria-pressed="false">
          Choose on the photo
        </button>
        <p class="hint" role="status" />
      </div>
      <Form action={photoPath(photo.id, query, '/focus')} label="Focus of this photo">
        <div class="pair focus-fields">
          <Field label="From left (%)" name="x" input={input(focus?.x)} />
          <Field label="From top (%)" name="y" input={input(focus?.y)} />
        </div>
        <div class="buttons">
          <Button kind="plain">Save focus</Button>
          {focus !== null && <OtherAction path={photoPath(photo.id, query, '/focus/remove')} label="Remove focus" />}
        </div>
      </Form>
    </section>
  );
}

/** Returns a share of the width or height of a photo, for people, in hundredths: finer than a pixel of most screens. */
function percentOf(share: number): number {
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
