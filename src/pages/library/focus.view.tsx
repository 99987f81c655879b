import type { Focus } from '../../core/media/transformation.js';
import { focusPoints, type PhotoWithTags } from '../../core/photos/photo.js';
import { Button, Field, Form, OtherAction } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type LibraryQuery, photoPath } from '../library-query/library-query.js';

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
