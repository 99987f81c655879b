// Passkeys: the browser asks for one, and the form that its button is in is sent with the answer.

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]')) {
  const { form } = button;
  if (form === null) continue;
  button.hidden = false;
  if (button.type !== 'submit') {
    button.addEventListener('click', () => void answer(button, form));
    continue;
  }
  // Also by Enter in one of its fields.
  form.addEventListener('submit', (event) => {
    if (fieldOf(button, form).value !== '') return;
    event.preventDefault();
    void answer(button, form);
  });
}

// A page that is shown again has been answered.
addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-passkey]')) {
    if (button.form !== null) fieldOf(button, button.form).value = '';
  }
});

async function answer(button: HTMLButtonElement, form: HTMLFormElement): Promise<void> {
  const code = form.querySelector<HTMLInputElement>('[autocomplete="one-time-code"]');
  // The passkey takes its place.
  if (code !== null) code.required = false;
  if (!form.reportValidity()) {
    if (code !== null) code.required = true;
    return;
  }
  const problem = form.querySelector('[data-passkey-problem]') as HTMLElement;
  problem.hidden = true;
  try {
    const credential = await askBrowser(await optionsFrom(button, form));
    fieldOf(button, form).value = JSON.stringify(credential);
    form.requestSubmit();
  } catch (error) {
    if (code !== null) code.required = true;
    problem.textContent = explained(error);
    problem.hidden = false;
    // Those of a form that is on its way are disabled (page.ts), and this one did not go.
    for (const each of form.querySelectorAll('button')) each.disabled = false;
  }
}

type Options = PublicKeyCredentialCreationOptionsJSON | PublicKeyCredentialRequestOptionsJSON;

async function optionsFrom(button: HTMLButtonElement, form: HTMLFormElement): Promise<Options> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
  const isAlone = form.querySelector<HTMLInputElement>('[name="alone"]')?.checked ?? false;
  const response = await fetch(button.dataset['passkey'] ?? '', {
    method: 'POST',
    headers: { Accept: 'application/json', 'X-CSRF-Token': token },
    body: new URLSearchParams(isAlone ? { alone: 'yes' } : {}),
  });
  const body = await response.json();
  if (!response.ok) throw new Refusal(body.error?.message ?? 'The service did not answer. Try again.');
  return body;
}

class Refusal extends Error {}

async function askBrowser(options: Options): Promise<unknown> {
  if (!('PublicKeyCredential' in window) || !('parseCreationOptionsFromJSON' in PublicKeyCredential)) {
    throw new Refusal('This browser does not know passkeys as this page uses them. Update it, or use another way.');
  }
  const credential =
    'user' in options
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  return (credential as PublicKeyCredential).toJSON();
}

function explained(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  const name = error instanceof Error ? error.name : '';
  if (name === 'InvalidStateError') return 'This device has a passkey of yours already.';
  if (name === 'SecurityError')
    return 'Passkeys work only at the address under which the operator offers this service.';
  if (name === 'NotAllowedError') return 'No passkey was used, or it took too long. Try again.';
  return 'That did not work. Try again.';
}

function fieldOf({ dataset }: HTMLButtonElement, form: HTMLFormElement): HTMLInputElement {
  return form.elements.namedItem(dataset['answer'] ?? '') as HTMLInputElement;
}
