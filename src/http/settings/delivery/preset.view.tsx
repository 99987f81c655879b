import { optionNames, PRESET_NAME_CHARACTERS } from '../../../core/delivery/delivery-options.js';
import type { Preset } from '../../../core/delivery/preset.js';
import { Button, Field, Form, ProblemSummary, Problems } from '../form.js';
import { Card, Confirm, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';
import { LIST, presetPath, previewPath } from './delivery-area.js';

export interface PresetFormProps {
  /** Null: a new one. */
  readonly subject: Pick<Preset, 'options'> | null;
  readonly name: string;
  readonly options: string;
  /** Options to show the newest photo with; null: it is not shown. */
  readonly preview: string | null;
  readonly problems: Problems | null;
}

export function PresetForm({ subject, name, options, preview, problems }: PresetFormProps) {
  const isNew = subject === null;
  // Each option has errors of its own, and all are typed into one field.
  const ofOptions = optionNames.reduce<Problems | undefined>(
    (renamed, option) => renamed?.renamed(option, 'options'),
    problems ?? undefined,
  );
  return (
    <>
      <Heading title={isNew ? 'Create preset' : `Preset “${name}”`} />
      <Card>
        <ProblemSummary problems={problems} />
        <Form action={isNew ? `${LIST}/presets/new` : presetPath(name, 'edit')}>
          {subject && <ShownValues fields={{ options: subject.options }} />}
          {isNew && (
            <Field
              label="Name"
              name="name"
              errors={problems}
              hint={`What URLs call it: ${PRESET_NAME_CHARACTERS}. It cannot be changed.`}
              input={{ value: name, required: true, autocomplete: 'off', placeholder: 'card' }}
            />
          )}
          <Field
            label="Options"
            name="options"
            errors={ofOptions}
            hint="As in a URL, separated by commas, for example w=300,h=200,fit=cover."
            input={{ value: options, required: true, autocomplete: 'off', spellcheck: false }}
          />
          <div class="buttons">
            <Button>{isNew ? 'Create preset' : 'Save'}</Button>
            <Button kind="plain" name="do" value="preview">
              Preview
            </Button>
            <a class="button plain" href={LIST}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
      {preview !== null && (
        <Card title="Preview" lead="Your newest photo with these options.">
          <img
            class="preset-preview"
            src={previewPath(preview)}
            alt="Preview; there is none while the library is empty"
          />
        </Card>
      )}
    </>
  );
}

export function DeletePreset({ name }: { name: string }) {
  return (
    <Confirm title={`Delete preset “${name}”?`} action={presetPath(name, 'delete')} button="Delete preset" back={LIST}>
      <p>
        The service refuses all URLs that name it immediately; caches may show their copies until these expire. A new
        preset of the same name makes the URLs work again.
      </p>
    </Confirm>
  );
}
