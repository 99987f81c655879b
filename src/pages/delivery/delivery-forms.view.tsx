import { type DeliveryKey, MAX_DELIVERY_KEY_NAME } from '../../core/delivery/delivery-key.js';
import { optionNames, PRESET_NAME_CHARACTERS } from '../../core/delivery/delivery-options.js';
import type { Preset } from '../../core/delivery/preset.js';
import { Button, ExpiryField, expiryOf, Field, lastDay, type Problems } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { Card, Copied, Copyable, Heading } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';
import { LIST, presetPath, previewPath } from './delivery.view.js';

const blank = { name: '', presetsOnly: false, expiresOn: '' };

export const deliveryKeyForm = {
  blank,
  lengths: { expiresOn: FieldLength.word },
  fieldsOf: ({ name, presetsOnly, expiresAt }: DeliveryKey) => ({ name, presetsOnly, expiresOn: lastDay(expiresAt) }),
  /** Errors: `invalid_request`. */
  valuesOf: ({ name, presetsOnly, expiresOn }: typeof blank) => ({ name, presetsOnly, expiresAt: expiryOf(expiresOn) }),
};

export type DeliveryKeyFormState = FormState<DeliveryKey, typeof blank>;

export function DeliveryKeyForm({ subject, fields, problems }: DeliveryKeyFormState) {
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
      <FormCard
        action={subject === null ? `${LIST}/keys/new` : `${LIST}/keys/${subject.id}/edit`}
        problems={problems}
        shown={subject && deliveryKeyForm.fieldsOf(subject)}
        button={subject === null ? 'Create key' : 'Save'}
        cancel={LIST}
      >
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
      </FormCard>
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
      <FormCard
        action={isNew ? `${LIST}/presets/new` : presetPath(name, 'edit')}
        problems={problems}
        shown={subject && { options: subject.options }}
        button={isNew ? 'Create preset' : 'Save'}
        cancel={LIST}
        others={
          <Button kind="plain" name="do" value="preview">
            Preview
          </Button>
        }
      >
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
      </FormCard>
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
