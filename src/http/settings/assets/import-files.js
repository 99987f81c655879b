// Which files a person means: those chosen, or those dropped with all that their folders have.

/** @typedef {{ file: File, path: string }} Found */

/** Files that systems leave in folders, and nobody means. */
const leftBySystems = /^(\.|thumbs\.db$|desktop\.ini$)/i;

/** Those of `<input type="file">`, of a folder too. @returns {Found[]} */
export function chosenFiles(input) {
  const found = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return found.filter(({ path }) => isMeant(path));
}

/**
 * Those of a drop. To be called in the event itself: what was dropped cannot be asked for later.
 * @returns {Promise<Found[]>}
 */
export async function droppedFiles({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...files].map((file) => ({ file, path: file.name }));
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found.filter(({ path }) => isMeant(path));
}

export function carriesFiles(event) {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function isMeant(path) {
  return !path.split('/').some((part) => leftBySystems.test(part));
}

async function walk(entry, found) {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, path });
    return;
  }
  const reader = entry.createReader();
  // A reader gives a folder in portions, and an empty one at its end.
  for (;;) {
    const portion = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return;
    for (const inner of portion) await walk(inner, found);
  }
}
