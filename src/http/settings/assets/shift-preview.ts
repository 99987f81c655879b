// What the capture time of the first selected photo becomes.

const unitSeconds = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

/** @param first The tile of the first selected photo. */
export function previewShift(form: HTMLFormElement, first: () => HTMLElement | null, signal: AbortSignal): void {
  const fields = form.querySelector<HTMLFieldSetElement>('[data-shift]');
  const preview = fields?.querySelector<HTMLElement>('[data-shift-preview]');
  if (!fields || !preview) return;
  const show = () => {
    const taken = first()?.querySelector<HTMLElement>('a')?.dataset.taken;
    const seconds = secondsIn(fields);
    preview.textContent = taken === undefined || seconds === 0 ? '' : textOf(taken, seconds);
  };
  fields.addEventListener('input', show, { signal });
  form.querySelector('details.more-actions')?.addEventListener('toggle', show, { signal });
}

function secondsIn(fields: HTMLFieldSetElement): number {
  const textIn = (name: string) => fields.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value ?? '';
  const sum = Object.entries(unitSeconds).reduce((all, [name, length]) => all + Number(textIn(name)) * length, 0);
  return textIn('direction') === 'back' ? -sum : sum;
}

/** Of local times: the zone plays no part. */
function textOf(taken: string, seconds: number): string {
  const before = new Date(`${taken}Z`);
  const after = new Date(before.getTime() + seconds * 1000);
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  if (Number.isNaN(after.getTime())) return '';
  return `First photo: ${format.format(before)} becomes ${format.format(after)}.`;
}
