import { basename, dirname, extname, join } from 'node:path';
import type { DetailsBuilder } from '../details-builder.js';
import { MAX_SIDECAR_BYTES, readSidecar, sidecarForExtension } from '../xmp/sidecar.js';

/**
 * Finds the XMP file of a photo among those of its folder: `photo.jpg.xmp`, as darktable and digiKam name it, before `photo.xmp`, Lightroom's
 * name. The latter may belong to another file of that name, a raw one: then it says so. Upper and lower case make no difference.
 */
export class SidecarFiles {
  /** Paths by folder and lower-case name. */
  private readonly byName = new Map<string, string>();
  private readonly used = new Set<string>();

  constructor(
    paths: readonly string[],
    private readonly store: { sizeOf(path: string): Promise<number>; read(path: string): Promise<Uint8Array> },
  ) {
    for (const path of paths) if (isSidecar(path)) this.byName.set(keyOf(dirname(path), basename(path)), path);
  }

  async addDetails(photoPath: string, details: DetailsBuilder): Promise<void> {
    const [folder, name] = [dirname(photoPath), basename(photoPath)];
    const own = this.byName.get(keyOf(folder, `${name}.xmp`));
    const shared = this.byName.get(keyOf(folder, `${basename(name, extname(name))}.xmp`));
    if (own !== undefined) {
      this.used.add(own);
      const bytes = await this.read(own, details);
      if (bytes !== null) readSidecar(bytes, details);
    }
    if (shared === undefined || shared === own) return;
    const bytes = await this.read(shared, details);
    if (bytes === null) return;
    const extension = sidecarForExtension(bytes);
    if (extension !== null && `.${extension}` !== extname(name).toLowerCase()) return;
    this.used.add(shared);
    if (own === undefined) readSidecar(bytes, details);
    else details.lose('xmp', 'superseded', basename(shared));
  }

  /** Whether the file was read for a photo. */
  isUsed(path: string): boolean {
    return this.used.has(path);
  }

  private async read(path: string, details: DetailsBuilder): Promise<Uint8Array | null> {
    try {
      if ((await this.store.sizeOf(path)) <= MAX_SIDECAR_BYTES) return await this.store.read(path);
      details.lose('xmp', 'too_long', basename(path));
    } catch (error) {
      details.lose(
        'xmp',
        'unreadable',
        `${basename(path)}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
      );
    }
    return null;
  }
}

/** The files that may be sidecars of a photo that was named by itself. */
export function possibleSidecars(photoPath: string): string[] {
  const [folder, name] = [dirname(photoPath), basename(photoPath)];
  const stems = [name, basename(name, extname(name))];
  return stems.flatMap((stem) => [join(folder, `${stem}.xmp`), join(folder, `${stem}.XMP`)]);
}

export function isSidecar(path: string): boolean {
  return extname(path).toLowerCase() === '.xmp';
}

function keyOf(folder: string, name: string): string {
  return `${folder}\0${name.normalize('NFC').toLowerCase()}`;
}
