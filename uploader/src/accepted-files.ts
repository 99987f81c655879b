// Written by bin/generate/picture-formats.js from src/core/media/formats.ts: npm run sdk:types

/** With the endings of all accepted formats, many of which browsers do not know for pictures. */
export const ACCEPTED_FILES =
  'image/*,.jpg,.jpeg,.jpe,.jfif,.jfi,.pjpeg,.mpo,.insp,.png,.apng,.webp,.gif,.tif,.tiff,.avif,.avifs,.heic,.heics,.hif,.heif,.heifs,.jxl,.dng,.cr2,.cr3,.nef,.nrw,.arw,.sr2,.raf,.orf,.rw2';
