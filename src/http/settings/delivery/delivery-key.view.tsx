import { type DeliveryKey, MAX_DELIVERY_KEY_NAME } from '../../../core/delivery/delivery-key.js';
import { Copied, Copyable } from '../copyable.js';
import { lastDay } from '../expiry-day.js';
import { ExpiryField } from '../expiry-field.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';
import { Card, Confirm, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';
import { LIST } from './delivery-area.js';

/** What the form says. */
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
