import { MAX_FACTOR_NAME } from '../../../core/users/factors/second-factor.js';
import { Field, Form, ProblemSummary, type Problems } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { Heading } from '../parts.js';
import { NEW_PASSKEY_FIELD, PasskeyButton, PasskeyNotes } from '../passkeys/passkey-form.js';
import { ASK_FOR_NEW, PASSKEYS_PATH } from '../passkeys/passkey-paths.js';

interface NewPasskeyProps {
  readonly problems: Problems | null;
  /** The values of the refused form. */
  readonly form: FormFields;
}

export function NewPasskey({ problems, form }: NewPasskeyProps) {
  const refusals = problems?.of('passkey') ?? [];
  return (
    <>
      <Heading title="Add a passkey" />
      <section class="card">
        {!problems?.isOfFields && <ProblemSummary problems={problems} />}
        <Form action={PASSKEYS_PATH} label="Add a passkey">
          <Field
            label="Name"
            name="name"
            hint="To tell several passkeys apart."
            errors={problems}
            input={{
              value: form.text('name', FieldLength.line) || 'Passkey',
              required: true,
              maxLength: MAX_FACTOR_NAME,
            }}
          />
          <div class="choice">
            <input type="checkbox" id="alone" name="alone" value="yes" checked={form.has('alone')} />
            <label for="alone">Sign in with it without the password</label>
          </div>
          <p class="hint">The device then checks each time that it is you: by fingerprint, face or PIN.</p>
          {refusals.map((message) => (
            <p key={message} class="error" role="alert">
              {message}
            </p>
          ))}
          <div class="buttons">
            <PasskeyButton from={ASK_FOR_NEW} label="Add" field={NEW_PASSKEY_FIELD} kind="primary" isOnly />
            <a class="button plain" href="/settings/account/factors">
              Cancel
            </a>
          </div>
          <PasskeyNotes />
        </Form>
      </section>
    </>
  );
}
