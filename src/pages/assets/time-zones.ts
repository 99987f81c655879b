// Where a time zone is named: all zones to search among, by their present names, and the browser's own to take with one click.

/** The names that browsers list for reasons of compatibility, and those that the zones have now (tzdata, "backward"). */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

suggestTimeZones(document);

export function suggestTimeZones(root: ParentNode): void {
  for (const list of root.querySelectorAll<HTMLDataListElement>('datalist[data-time-zones]')) {
    const field = document.querySelector<HTMLInputElement>(`input[list="${list.id}"]`);
    const own = presentName(Intl.DateTimeFormat().resolvedOptions().timeZone);
    if (field === null) continue;
    // Four hundred names, for those who look for one.
    field.addEventListener('focus', () => list.replaceChildren(...zones(own).map((name) => new Option('', name))), {
      once: true,
    });
    const button = list.parentElement?.querySelector<HTMLButtonElement>('button[data-own-zone]');
    if (!button) continue;
    const offer = () => (button.hidden = field.value === own);
    button.textContent = `Use ${own}, the zone of this browser`;
    button.addEventListener('click', () => {
      field.value = own;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.focus();
    });
    field.addEventListener('input', offer);
    offer();
  }
}

/** The browser's own zone first. */
function zones(own: string): readonly string[] {
  const names = Intl.supportedValuesOf('timeZone').map(presentName);
  return [...new Set([own, 'UTC', ...names.sort()])];
}

function presentName(zone: string): string {
  return renamed[zone] ?? zone;
}
