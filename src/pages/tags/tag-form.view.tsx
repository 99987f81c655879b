import { MAX_TAG_DESCRIPTION, MAX_TAG_NAME, type Tag } from '../../core/tags/tag.js';
import { Field } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { useFormats } from '../formats.js';
import { Heading } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';

/** `color`: `#rrggbb`, `other` for what `otherColor` says, or empty for none. */
const blank = { name: '', color: '', otherColor: '#888888', description: '' };

export const tagForm = {
  blank,
  lengths: { color: FieldLength.word, otherColor: FieldLength.word, description: FieldLength.text },
  fieldsOf: ({ name, color, description }: Tag) => {
    const isOther = color !== null && !palette.some(([value]) => value === color);
    const shown = isOther
      ? { color: 'other', otherColor: color }
      : { color: color ?? '', otherColor: blank.otherColor };
    return { name, ...shown, description: description ?? '' };
  },
  valuesOf: ({ name, color, otherColor, description }: typeof blank) => {
    const chosen = color === 'other' ? otherColor || blank.otherColor : color;
    return { name, color: chosen || null, description: description.trim() || null };
  },
};

export type TagFormState = FormState<Tag, typeof blank>;

/** Told apart in the light and in the dark. */
const palette: readonly (readonly [value: string, label: string])[] = [
  ['#d64545', 'Red'],
  ['#e07b39', 'Orange'],
  ['#c99a1b', 'Yellow'],
  ['#4f9d55', 'Green'],
  ['#2f9e9e', 'Teal'],
  ['#3b7dd8', 'Blue'],
  ['#7a5cc9', 'Violet'],
  ['#c4528f', 'Pink'],
  ['#8a7565', 'Brown'],
];

/** The colour of a tag. It says nothing that its name does not, so it is not read out. */
export function Swatch({ color }: { color: string | null }) {
  return (
    <svg class="swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      {color === null ? (
        <circle cx="7" cy="7" r="5.5" fill="none" stroke="currentColor" stroke-dasharray="2 2" />
      ) : (
        <circle cx="7" cy="7" r="6.5" fill={color} />
      )}
    </svg>
  );
}

export function TagForm({ subject, fields, problems }: TagFormState) {
  const formats = useFormats();
  return (
    <>
      {subject === null ? (
        <Heading title="Create tag" />
      ) : (
        <Heading title={subject.name} lead={`On ${formats.pluralize(subject.photoCount, 'photo')}.`}>
          <a class="button plain" href={`/settings/tags/${subject.id}/delete`}>
            Delete…
          </a>
        </Heading>
      )}
      <FormCard
        action={`/settings/tags/${subject === null ? 'new' : subject.id}`}
        problems={problems}
        shown={subject && tagForm.fieldsOf(subject)}
        button={subject === null ? 'Create tag' : 'Save'}
        cancel="/settings/tags"
      >
        <Field
          label="Name"
          name="name"
          errors={problems}
          hint="Must be unique; case is ignored."
          input={{ value: fields.name, required: true, maxLength: MAX_TAG_NAME, autocomplete: 'off' }}
        />
        <Colors fields={fields} messages={problems?.of('color') ?? []} />
        <Field
          label="Description"
          name="description"
          errors={problems}
          lines={3}
          input={{ value: fields.description, maxLength: MAX_TAG_DESCRIPTION }}
        />
      </FormCard>
    </>
  );
}

function Colors({ fields, messages }: { fields: typeof blank; messages: readonly string[] }) {
  return (
    <fieldset class="field">
      <legend>Colour</legend>
      <div class="colors">
        {[['', 'None'] as const, ...palette].map(([value, label]) => (
          <span class="choice" key={value}>
            <input type="radio" id={`color-${label}`} name="color" value={value} checked={fields.color === value} />
            <label for={`color-${label}`}>
              <Swatch color={value || null} /> {label}
            </label>
          </span>
        ))}
        <span class="choice">
          <input type="radio" id="color-other" name="color" value="other" checked={fields.color === 'other'} />
          <label for="color-other">Another</label>
          <input type="color" name="otherColor" value={fields.otherColor} aria-label="Another colour" />
        </span>
      </div>
      {messages.map((message) => (
        <p class="error" key={message}>
          {message}
        </p>
      ))}
    </fieldset>
  );
}
