import { setTimeout as delay } from 'node:timers/promises';
import type { InlineFile } from '../../core/imports/register/inline.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Share, UploadReservation, UploadShare } from '../../core/shares/share.js';
import {
  HeldByLater,
  reserveUpload,
  settleUpload,
  visitorCaller,
  visitorImport,
} from '../../core/shares/visitor-upload.js';
import type { FormFields } from '../form-fields.js';
import { type PlainImport, receivePlainForm } from '../imports/import-results.js';

/** The longest time that a request waits for those that began later. */
const PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 100;

/** Imports the files of a visitor's form within the limits of the share. Errors: `not_found`, `limit_reached`; those of the import. */
export async function receiveVisitorForm(
  ports: Ports,
  share: Share,
  form: FormFields,
  address: string,
): Promise<PlainImport> {
  const held = await reserveUpload(ports, share, { files: 1, bytes: 1 });
  const counter = new LimitedFiles(ports, share, held);
  let used: UploadShare = { files: 0, bytes: 0 };
  try {
    const files = form.files && counter.of(form.files);
    const received = await receivePlainForm(ports, visitorCaller(share, address), { files }, visitorImport(share));
    // Nothing was imported then: the rest of the files was not read.
    if (counter.exceeded !== null) throw counter.exceeded;
    if (received.importId !== null) used = counter.used;
    return received;
  } finally {
    await settleUpload(ports, share, counter.held, used);
  }
}

/** Files that end the request when there is no room left for them under the limits of the share. */
class LimitedFiles {
  private files = 0;
  private bytes = 0;
  /** The limit that ended the request. */
  exceeded: DomainError | null = null;

  constructor(
    private readonly ports: Ports,
    private readonly share: Share,
    public held: UploadReservation,
  ) {}

  get used(): UploadShare {
    return { files: this.files, bytes: this.bytes };
  }

  async *of(files: AsyncIterable<InlineFile>): AsyncGenerator<InlineFile> {
    for await (const { filename, bytes } of files) {
      this.files += 1;
      await this.hold();
      yield { filename, bytes: this.counted(bytes) };
    }
  }

  private async *counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.bytes += chunk.length;
      await this.hold();
      yield chunk;
    }
  }

  /** Errors: `limit_reached`. */
  private async hold(): Promise<void> {
    if (this.files <= this.held.files && this.bytes <= this.held.bytes) return;
    const patience = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        this.held = await reserveUpload(this.ports, this.share, this.used, this.held);
        return;
      } catch (error) {
        if (!(error instanceof HeldByLater) || performance.now() >= patience) {
          const failure = error instanceof HeldByLater ? error.reached : error;
          if (failure instanceof DomainError && failure.code === 'limit_reached') this.exceeded = failure;
          throw failure;
        }
        await delay(LOOK_AGAIN_MS);
      }
    }
  }
}
