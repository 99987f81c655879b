/** A field for a one-time code or a recovery code: of an element, as in `Field`. Phones offer digits, or what a message contained. */
export const CODE_INPUT = {
  autocomplete: 'one-time-code',
  required: true,
  maxLength: 40,
  spellcheck: false,
  autocapitalize: 'characters',
};
