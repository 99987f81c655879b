/** Into a folder, which is made. */
export function writeCountries(target: string): void;
/** Into a folder, which is made. */
export function writeGazetteer(target: string): void;
