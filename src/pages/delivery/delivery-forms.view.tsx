import { type DeliveryKey, MAX_DELIVERY_KEY_NAME } from '../../core/delivery/delivery-key.js';
import { optionNames, PRESET_NAME_CHARACTERS } from '../../core/delivery/delivery-options.js';
import type { Preset } from '../../core/delivery/preset.js';
import { Button, ExpiryField, Field, Form, lastDay, ProblemSummary, Problems } from '../form.js';
import { Card, Confirm, Copied, Copyable, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';
import { LIST, presetPath, previewPath } from './delivery.view.js';

/** The content of the form. */
export interface DeliveryKeyFields {
  readonly name: string;
  readonly presetsOnly: boolean;
  readonly expiresOn: string;
}

export function fieldsOfKey({ name, presetsOnly, expiresAt }: DeliveryKey): DeliveryKeyFields {
  return { name, presetsOnly, expiresOn: lastDay(expiresAt) };
}

interface DeliveryKeyFormProps {
  /** Null: a new one. */
  readonly subject: DeliveryKey | null;
  readonly fields: DeliveryKeyFields;
  readonly problems: Problems | null;
}

export function DeliveryKeyForm({ subject, fields, problems }: DeliveryKeyFormProps) {
  return (
    <>
      {subject === null ? (
        <Heading title="Create delivery key" lead="Your server signs URLs of images with its secret." />
      ) : (
        <Heading
          title={`Delivery key “${subject.name}”`}
          lead="Changes apply to all URLs signed with it, immediately."
        />
      )}
      <Card>
        <ProblemSummary problems={problems} />
        <Form action={subject === null ? `${LIST}/keys/new` : `${LIST}/keys/${subject.id}/edit`}>
          {subject && <ShownValues fields={fieldsOfKey(subject)} />}
          <Field
            label="Name"
            name="name"
            errors={problems}
            hint="What the key is for, for example your shop."
            input={{ value: fields.name, required: true, maxLength: MAX_DELIVERY_KEY_NAME, autocomplete: 'off' }}
          />
          <div class="choice">
            <input type="checkbox" id="presets-only" name="presetsOnly" value="yes" checked={fields.presetsOnly} />
            <label for="presets-only">Presets only: its URLs name a preset, and no other option</label>
          </div>
          <ExpiryField end="Its URLs stop working" value={fields.expiresOn} problems={problems} />
          <div class="buttons">
            <Button>{subject === null ? 'Create key' : 'Save'}</Button>
            <a class="button plain" href={LIST}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
}

/** The only page that shows a secret. */
export function ShowDeliverySecret({ subject, secret }: { subject: DeliveryKey; secret: string }) {
  return (
    <>
      <Heading title={`“${subject.name}” is ready`} />
      <Card
        title="Its secret"
        lead="It is shown only once: store it on your server, like a password. It must not reach a browser."
      >
        <p>
          Id of the key: <code>{subject.publicId}</code>
        </p>
        <Copyable id="secret" text={secret} />
        <Copied />
        <div class="buttons">
          <a class="button primary" href={LIST}>
            I have stored it
          </a>
        </div>
      </Card>
    </>
  );
}

export function DeleteDeliveryKey({ subject: { id, name, publicId } }: { subject: DeliveryKey }) {
  return (
    <Confirm title={`Delete key “${name}”?`} action={`${LIST}/keys/${id}/delete`} button="Delete key" back={LIST}>
      <p>
        The service refuses all URLs signed with <code>{publicId}</code> immediately; caches may show their copies until
        these expire. This cannot be undone. Photos and presets are not affected.
      </p>
    </Confirm>
  );
}

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
