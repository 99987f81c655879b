import { createHash } from 'node:crypto';
import { Controller, Get, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  byDate,
  CHECKSUMS,
  checksumLine,
  type ExportedPhoto,
  type ExportHead,
  HEAD,
  IMPORTS,
  linesOf,
  ORIGINALS,
  PHOTOS,
  TAGS,
  thumbOf,
  WEBHOOKS,
} from 'photo-service-cli/export-format';
import { type ExportedMonth, indexPage, monthOf, monthPage } from 'photo-service-cli/export-pages';
import { nameKey, photoNames } from 'photo-service-cli/file-name';
import { sidecarText } from 'photo-service-cli/sidecar';
import { importView } from '../../api/imports/import.view.js';
import { photoView } from '../../api/photos/photo.view.js';
import { tagView } from '../../api/tags/tag.view.js';
import type { Caller } from '../../core/access/caller.js';
import { storedKey } from '../../core/blobs/blob-key.js';
import { readCustomer, recordExport } from '../../core/customers/edit-customer.js';
import { readImport } from '../../core/imports/read.js';
import { listPhotos } from '../../core/photos/list-photos.js';
import { openOriginalOf } from '../../core/photos/original.js';
import { isTrashed, type PhotoWithTags } from '../../core/photos/photo.js';
import { readPhotos, readVisiblePhoto } from '../../core/photos/read-photo.js';
import { downloadRendition } from '../../core/photos/renditions/rendition.js';
import type { Ports } from '../../core/ports.js';
import { DomainError, unlessGone } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { everyPage, MAX_PAGE_SIZE } from '../../core/shared/pagination.js';
import { listTags } from '../../core/tags/read-tag.js';
import { listWebhookEndpoints } from '../../core/webhooks/endpoints.js';
import { RequireRole } from '../../http/access.js';
import { sendGenerated, sendLines } from '../../http/responses/send-lines.js';
import { type ZipEntry, zipOf } from '../../http/responses/zip.js';
import { publicPath } from '../../http/server/base-path.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';

/** The metadata of all photos, to take elsewhere: JSON Lines, each object as in the API. */
@Controller('settings/account/export')
@RequireRole('viewer')
export class ExportController extends PageController {
  /** Including the trash. */
  @Get('photos.jsonl')
  async photos(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'photos.jsonl');
    const filters = { trashed: 'any' as const };
    const photos = everyPage((cursor) => listPhotos(this.ports, caller, { ...BY_ID, filters, cursor }));
    await sendLines(context.request, response, 'photos.jsonl', withDownloads(context.request, photos));
  }

  /** All originals too, for those who may erase the account. */
  @Get('library.zip')
  @RequireRole('owner')
  async library(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    const { usage } = await readCustomer(this.ports, caller);
    if (usage.photos > MAX_ARCHIVED_PHOTOS) {
      const message = `A library of more than ${MAX_ARCHIVED_PHOTOS} photos is too large for one file. Export it with phs export FOLDER.`;
      throw new DomainError('limit_reached', message);
    }
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'library.zip');
    const file = { filename: 'library.zip', type: 'application/zip' };
    await sendGenerated(context.request, response, file, zipOf(new LibraryArchive(this.ports, caller).entries()));
  }

  @Get('tags.jsonl')
  async tags(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    if (context.request.method !== 'HEAD') await recordExport(this.ports, caller, 'tags.jsonl');
    const tags = everyPage(async (cursor) => {
      const page = await listTags(this.ports, caller, { ...BY_ID, filters: {}, cursor });
      return { ...page, data: page.data.map(tagView) };
    });
    await sendLines(context.request, response, 'tags.jsonl', tags);
  }
}

/** With the path of each original; null if a key cannot get it. */
async function* withDownloads(request: Request, photos: AsyncIterable<PhotoWithTags>): AsyncGenerator<object> {
  for await (const photo of photos) {
    const isThere = !isTrashed(photo) && photo.originalLostAt === null;
    yield {
      ...photoView(photo),
      download: isThere ? publicPath(request, `/api/v1/photos/${photo.id}/download`) : null,
    };
  }
}

/** The most photos of an archive: of each, about a kilobyte is in memory until it is complete. */
const MAX_ARCHIVED_PHOTOS = 100_000;
/** The order of ids never shifts: a photo that changes during the download is included once. */
const BY_ID = { sort: 'id', limit: MAX_PAGE_SIZE } as const;

/**
 * A library as `phs export` writes it, file by file: originals with their sidecars, small pictures, then the lists, checksums and pages, and at
 * last what says that it is complete. What changes meanwhile may be as it was before or after; a photo whose content has changed, or that was
 * deleted, is left out, and one whose original is missing is named.
 */
class LibraryArchive {
  /** Where the originals are, below their folder. */
  private readonly files = new Map<Id, { readonly path: string; readonly sha256: string }>();
  private readonly taken = new Set<string>();
  private readonly thumbs = new Set<Id>();
  private readonly checksums: string[] = [];
  private readonly missing: PhotoWithTags[] = [];
  private readonly months = new Map<string, { readonly first: ExportedPhoto; readonly ids: Id[] }>();
  private readonly importIds = new Set<Id>();
  private readonly counts = { photos: 0, tags: 0, imports: 0 };
  private readonly startedAt: Date;

  constructor(
    private readonly ports: Ports,
    private readonly caller: Caller,
  ) {
    this.startedAt = ports.clock.now();
  }

  async *entries(): AsyncGenerator<ZipEntry> {
    for await (const photo of this.photos()) {
      if (await this.isMissing(photo)) {
        // Of a photo that was deleted after it was listed, nothing is missing.
        if (await unlessGone(readVisiblePhoto(this.ports, this.caller, photo.id))) this.missing.push(photo);
        continue;
      }
      const original = await unlessGone(openOriginalOf(this.ports, this.caller, photo.id));
      if (original === null) continue;
      const { bytes } = original;
      const { sha256, sizeBytes } = original.photo;
      const path = this.nameOf(photo);
      yield { path: `${ORIGINALS}/${path}`, modifiedAt: photo.takenAt ?? photo.createdAt, sizeBytes, bytes };
      this.files.set(photo.id, { path, sha256 });
      this.checksums.push(checksumLine(sha256, path));
      const sidecar = sidecarText(exported(photo, path));
      this.checksums.push(checksumLine(createHash('sha256').update(sidecar).digest('hex'), `${path}.xmp`));
      yield this.text(`${ORIGINALS}/${path}.xmp`, [sidecar]);
      yield* this.thumbOf(photo);
    }
    yield this.text(PHOTOS, this.photoLines());
    yield this.text(TAGS, this.tagLines());
    yield this.text(IMPORTS, this.importLines());
    const endpoints = await listWebhookEndpoints(this.ports, this.caller.customerId);
    const webhooks = endpoints.map(({ url, description, events, status }) => ({ url, description, events, status }));
    yield this.text(WEBHOOKS, [linesOf(webhooks)]);
    yield this.text(CHECKSUMS, [this.checksums.join('')]);
    const months: ExportedMonth[] = [];
    for (const [month, { first, ids }] of this.months) {
      months.push({ month, first, count: ids.length });
      const page = monthPage(month, await this.read(ids), this.thumbs);
      yield this.text(page.path, [page.html]);
    }
    const index = indexPage(months, this.thumbs);
    yield this.text(index.path, [index.html]);
    const head: ExportHead = {
      ...{ format: 'photo-service-export', version: 1, service: this.ports.addresses.publicUrl },
      ...{ exportedAt: this.startedAt.toISOString(), counts: this.counts },
      missing: this.missing.map(({ id, filename, sha256 }) => ({ id, filename, sha256 })),
    };
    yield this.text(HEAD, [`${JSON.stringify(head, null, 2)}\n`]);
  }

  private photos(): AsyncGenerator<PhotoWithTags> {
    const filters = { trashed: 'false' } as const;
    return everyPage((cursor) => listPhotos(this.ports, this.caller, { ...BY_ID, filters, cursor }));
  }

  /** Read anew, after the originals: a photo that was deleted meanwhile is not listed. */
  private async *photoLines(): AsyncGenerator<string> {
    for await (const photo of this.photos()) {
      const file = this.files.get(photo.id);
      if (file?.sha256 !== photo.sha256) continue;
      const line = exported(photo, file.path);
      const month = this.months.get(monthOf(line)) ?? { first: line, ids: [] };
      month.ids.push(photo.id);
      this.months.set(monthOf(line), month);
      if (photo.importId !== null) this.importIds.add(photo.importId);
      this.counts.photos += 1;
      yield linesOf([line]);
    }
  }

  private async *tagLines(): AsyncGenerator<string> {
    const tags = everyPage((cursor) => listTags(this.ports, this.caller, { ...BY_ID, filters: {}, cursor }));
    for await (const tag of tags) {
      this.counts.tags += 1;
      yield linesOf([tagView(tag)]);
    }
  }

  /** A year after its end an import is gone. */
  private async *importLines(): AsyncGenerator<string> {
    for (const id of this.importIds) {
      const found = await unlessGone(readImport(this.ports, this.caller, id));
      if (found === null) continue;
      this.counts.imports += 1;
      yield linesOf([importView(found)]);
    }
  }

  private async isMissing({ originalLostAt, blobKey, sizeBytes }: PhotoWithTags): Promise<boolean> {
    if (originalLostAt !== null) return true;
    return (await this.ports.blobs.head(storedKey(blobKey)))?.sizeBytes !== sizeBytes;
  }

  /** Returns the name that `phs export` gives it. A sidecar beside it has its name, and one more ending. */
  private nameOf(photo: PhotoWithTags): string {
    const candidates = photoNames(photo).map((name) => `${byDate(photo)}/${name}`);
    const isFree = (path: string) => [path, `${path}.xmp`].every((each) => !this.taken.has(nameKey(each)));
    const path = candidates.find(isFree);
    if (path === undefined) throw new Error(`There is no free file name for photo ${photo.id}.`);
    for (const each of [path, `${path}.xmp`]) this.taken.add(nameKey(each));
    return path;
  }

  /** No part of the photos: one that cannot be had is left out. */
  private async *thumbOf(photo: PhotoWithTags): AsyncGenerator<ZipEntry> {
    const thumb = await downloadRendition(this.ports, this.caller, photo.id, { name: 'thumb' })
      .then((download) => download.open())
      .catch((error: unknown) => {
        // It cannot be had now, or at all.
        if (error instanceof DomainError) return null;
        throw error;
      });
    if (thumb === null) return;
    yield { path: thumbOf(photo), modifiedAt: this.startedAt, sizeBytes: thumb.sizeBytes, bytes: thumb.bytes };
    this.thumbs.add(photo.id);
  }

  private async read(ids: readonly Id[]): Promise<ExportedPhoto[]> {
    const found: ExportedPhoto[] = [];
    for (let at = 0; at < ids.length; at += MAX_PAGE_SIZE) {
      const some = ids.slice(at, at + MAX_PAGE_SIZE);
      const photos = await readPhotos(this.ports, this.caller, some);
      found.push(...photos.map((photo) => exported(photo, this.files.get(photo.id)?.path ?? '')));
    }
    return found;
  }

  private text(path: string, texts: AsyncIterable<string> | Iterable<string>): ZipEntry {
    return { path, modifiedAt: this.startedAt, sizeBytes: null, bytes: encoded(texts) };
  }
}

async function* encoded(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

function exported(photo: PhotoWithTags, path: string): ExportedPhoto {
  const { exif: _, ...view } = photoView(photo);
  return { ...view, rotation: photo.rotation, path };
}
