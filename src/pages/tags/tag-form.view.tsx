import { MAX_TAG_DESCRIPTION, MAX_TAG_NAME, type Tag } from '../../core/tags/tag.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';
import { useFormats } from '../formats.js';
import { Card, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';

/** The content of the form. */
export interface TagFields {
  readonly name: string;
  /** `#rrggbb`, `other` for what `otherColor` says, or empty for none. */
  readonly color: string;
  readonly otherColor: string;
  readonly description: string;
}

export const blankTag: TagFields = { name: '', color: '', otherColor: '#888888', description: '' };

export function fieldsOfTag({ name, color, description }: Tag): TagFields {
  const isOther = color !== null && !palette.some(([value]) => value === color);
  const shown = isOther ? { color: 'other', otherColor: color } : { color: color ?? '', otherColor: '#888888' };
  return { name, ...shown, description: description ?? '' };
}

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

export function NewTag({ fields, problems }: { fields: TagFields; problems: Problems | null }) {
  return (
    <>
      <Heading title="Create tag" />
      <TagForm action="/settings/tags/new" button="Create tag" fields={fields} problems={problems} />
    </>
  );
}

export function EditTag({ tag, fields, problems }: { tag: Tag; fields: TagFields; problems: Problems | null }) {
  const formats = useFormats();
  return (
    <>
      <Heading title={tag.name} lead={`On ${formats.pluralize(tag.photoCount, 'photo')}.`}>
        <a class="button plain" href={`/settings/tags/${tag.id}/delete`}>
          Delete…
        </a>
      </Heading>
      <TagForm
        action={`/settings/tags/${tag.id}`}
        button="Save"
        fields={fields}
        problems={problems}
        shown={fieldsOfTag(tag)}
      />
    </>
  );
}

interface TagFormProps {
  readonly action: string;
  readonly button: string;
  readonly fields: TagFields;
  readonly problems: Problems | null;
  /** The fields of a tag that is there already. */
  readonly shown?: TagFields;
}

function TagForm({ action, button, fields, problems, shown }: TagFormProps) {
  return (
    <Card>
      <ProblemSummary problems={problems} />
      <Form action={action}>
        {shown && <ShownValues fields={shown} />}
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
        <div class="buttons">
          <Button>{button}</Button>
          <a class="button plain" href="/settings/tags">
            Cancel
          </a>
        </div>
      </Form>
    </Card>
  );
}

function Colors({ fields, messages }: { fields: TagFields; messages: readonly string[] }) {
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
