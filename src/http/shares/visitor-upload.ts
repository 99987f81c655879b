import type { InlineFile } from '../../core/imports/inline-files.js';
import type { Ports } from '../../core/ports.js';
import type { Share, UploadShare } from '../../core/shares/share.js';
import { visitorCaller, visitorImport } from '../../core/shares/visitor-import.js';
import { limitReached, reserveUpload, settleUpload } from '../../core/shares/visitor-upload.js';
import type { FormFields } from '../settings/form-fields.js';
import { type PlainImport, receivePlainForm } from '../settings/imports/plain-import.js';

/** Imports the files of a visitor's form within the limits of the share. Errors: `not_found`, `limit_reached`; those of the import. */
export async function receiveVisitorForm(
  ports: Ports,
  share: Share,
  form: FormFields,
  address: string,
): Promise<PlainImport> {
  const reserved = await reserveUpload(ports, share);
  const counter = new LimitedFiles(reserved);
  let used: UploadShare = { files: 0, bytes: 0 };
  try {
    const files = form.files && counter.of(form.files);
    const caller = visitorCaller(share, address);
    const received = await receivePlainForm(ports, caller, { files }, visitorImport(share));
    // Nothing was imported then: the rest of the files was not read.
    if (counter.isExceeded) throw limitReached();
    if (received.importId !== null) used = counter.used;
    return received;
  } finally {
    await settleUpload(ports, share, reserved, used);
  }
}

/** Files that end the request when they exceed what was reserved. */
class LimitedFiles {
  private files = 0;
  private bytes = 0;

  constructor(private readonly reserved: UploadShare) {}

  get isExceeded(): boolean {
    return this.files > this.reserved.files || this.bytes > this.reserved.bytes;
  }

  get used(): UploadShare {
    return { files: this.files, bytes: this.bytes };
  }

  async *of(files: AsyncIterable<InlineFile>): AsyncGenerator<InlineFile> {
    for await (const { filename, bytes } of files) {
      this.files += 1;
      if (this.isExceeded) throw limitReached();
      yield { filename, bytes: this.counted(bytes) };
    }
  }

  private async *counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.bytes += chunk.length;
      if (this.isExceeded) throw limitReached();
      yield chunk;
    }
  }
}
