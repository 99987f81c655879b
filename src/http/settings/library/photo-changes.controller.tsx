import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { readPhoto } from '../../../core/photos/read-photo.js';
import { purgePhoto, trashPhoto } from '../../../core/photos/trash-photo.js';
import type { Ports } from '../../../core/ports.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import type { Flash } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { goTo, page } from '../page.js';
import { Confirm } from '../parts.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { libraryPath, photoPath, readLibraryQuery } from './library-query.js';
import { photoName } from './picture.js';
import { addTag } from './selection.js';

type Asked = Record<string, unknown>;

/** What a person does to one photo: tags, trash, restore, delete for ever. Each form leads back to the photo. */
@Controller('settings/photos')
export class PhotoChangesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':id/tags')
  @For('member')
  addTag(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() query: Asked): Promise<Reply> {
    return this.change(visit, id, query, async (caller) => {
      // Before a tag is made for a photo that is not there.
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      await addTag(this.ports, caller, [id], visit.form.text('tag'));
      return 'Tag added.';
    });
  }

  @Post(':id/tags/remove')
  @For('member')
  removeTag(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() query: Asked): Promise<Reply> {
    return this.change(visit, id, query, async (caller) => {
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      await editTag(this.ports, caller, parseId(visit.form.text('tag')) ?? 0, { removePhotoIds: [id] });
      return 'Tag removed.';
    });
  }

  @Post(':id/trash')
  @For('member')
  trash(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() query: Asked): Promise<Reply> {
    return this.change(visit, id, query, async (caller) => {
      await trashPhoto(this.ports, caller, id);
      return 'Moved to the trash.';
    });
  }

  @Post(':id/restore')
  @For('member')
  restore(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() query: Asked): Promise<Reply> {
    return this.change(visit, id, query, async (caller) => {
      await editPhoto(this.ports, caller, id, { trashed: false });
      return 'Back in the library.';
    });
  }

  @Get(':id/delete')
  @For('member')
  async askToDelete(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() parameters: Asked): Promise<Reply> {
    const query = readLibraryQuery(parameters);
    const { photo } = await readPhoto(this.ports, callerOfVisit(visit), id, { trashedToo: true, withExif: false });
    const confirm = (
      <Confirm
        title={`Delete ${photoName(photo)} for ever?`}
        action={photoPath(id, query, '/delete')}
        button="Delete for ever"
        back={photoPath(id, query)}
      >
        <p>The original and everything that was said of it are removed. Nobody can bring them back.</p>
      </Confirm>
    );
    return page(this.ports, visit, { title: 'Delete for ever', section: 'library' }, confirm);
  }

  @Post(':id/delete')
  @For('member')
  async delete(@Visiting() visit: Visit, @PathId('id') id: Id, @Query() query: Asked): Promise<Reply> {
    await purgePhoto(this.ports, callerOfVisit(visit), id);
    return goTo(visit, libraryPath(readLibraryQuery(query)), { kind: 'done', text: 'Deleted for ever.' });
  }

  private async change(
    visit: Visit,
    id: Id,
    query: Asked,
    work: (caller: ReturnType<typeof callerOfVisit>) => Promise<string>,
  ): Promise<Reply> {
    const back = (flash: Flash) => goTo(visit, photoPath(id, readLibraryQuery(query)), flash);
    try {
      return back({ kind: 'done', text: await work(callerOfVisit(visit)) });
    } catch (error) {
      return back({ kind: 'failed', text: problemsOf(error).message });
    }
  }
}
