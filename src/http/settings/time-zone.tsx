import { Field, type FieldProps } from './form.js';

/** A field for a time zone. A script (time-zones.ts) offers all names to search among, and the browser's own zone. */
export function TimeZoneField({ input, ...field }: Omit<FieldProps, 'lines' | 'choices' | 'beside'>) {
  const list = `zones-of-${field.name}`;
  return (
    <Field
      {...field}
      input={{ maxLength: MAX_ZONE_NAME, autocomplete: 'off', spellcheck: false, ...input, list }}
      beside={<TimeZoneNames id={list} />}
    />
  );
}

export const MAX_ZONE_NAME = 64;

/** For a text field with the attribute `list`. */
export function TimeZoneNames({ id }: { id: string }) {
  return (
    <>
      <datalist id={id} data-time-zones />
      <button type="button" class="quiet own-zone" data-own-zone hidden />
    </>
  );
}
