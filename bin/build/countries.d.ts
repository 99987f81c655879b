/** Into a folder, which is made. */
export function writeCountries(target: string): void;
