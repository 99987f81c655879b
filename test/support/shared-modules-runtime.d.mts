export const sharedFolders: readonly string[];
