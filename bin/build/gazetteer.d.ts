/** Into a folder, which is made. */
export function writeGazetteer(target: string): void;
