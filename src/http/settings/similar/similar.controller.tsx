import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { editPhotos } from '../../../core/photos/edit-photo.js';
import { renditionUrls } from '../../../core/photos/renditions/rendition.js';
import { readSimilarGroups, rejoinPhotos, separatePhotos, trashOthers } from '../../../core/photos/similar/groups.js';
import type { Ports } from '../../../core/ports.js';
import { parseId } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { oneOfQuery } from '../address.js';
import type { Flash } from '../browser-session.js';
import { pluralize } from '../counted.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { selectedIds } from '../library/selection.js';
import { InNavigation } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { SimilarPage } from './similar.view.js';
import { pairText, parsePair, similarPath } from './similar-query.js';

type Caller = ReturnType<typeof callerOfPage>;
/** @param path Of another action on this page. */
type Work = (caller: Caller, path: (action: string) => string) => Promise<Omit<Flash, 'kind'>>;

/** Photos that look alike, group by group: which to keep, or that they are different. Each form returns to its page. */
@Controller('settings/similar')
@RequireRole('editor')
export class SimilarController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('Similar photos', 25)
  async list(@CurrentPageContext() context: PageContext, @Query('after') from: unknown): Promise<Reply> {
    const caller = callerOfPage(context);
    const after = parseId(oneOfQuery(from));
    const { groups, next } = await readSimilarGroups(this.ports, caller, after);
    const shown = groups.map((group) =>
      group.map((photo) => ({ photo, urls: renditionUrls(this.ports, caller, photo) })),
    );
    const options = { title: 'Similar photos', section: 'similar', styles: ['similar.css'] };
    return renderPage(this.ports, context, options, <SimilarPage groups={shown} after={after} next={next} />);
  }

  @Post('keep')
  keep(@CurrentPageContext() context: PageContext, @Query('after') from: unknown): Promise<Reply> {
    return this.change(context, from, async (caller, path) => {
      const [ids, keep] = [
        selectedIds(context.form.all('ids', FieldLength.word)),
        selectedIds(context.form.all('keep', FieldLength.word)),
      ];
      const moved = await trashOthers(this.ports, caller, { ids, keep });
      const text = `${pluralize(moved.length, 'photo')} moved to the trash.`;
      if (moved.length === 0) return { text };
      return { text, undo: { action: path('/restore'), field: 'ids', values: moved.map(String) } };
    });
  }

  @Post('restore')
  restore(@CurrentPageContext() context: PageContext, @Query('after') from: unknown): Promise<Reply> {
    return this.change(context, from, async (caller) => {
      const results = await editPhotos(this.ports, caller, selectedIds(context.form.all('ids', FieldLength.word)), {
        trashed: false,
      });
      const restored = results.filter(({ outcome }) => outcome === 'updated').length;
      return { text: `${pluralize(restored, 'photo')} restored.` };
    });
  }

  @Post('separate')
  separate(@CurrentPageContext() context: PageContext, @Query('after') from: unknown): Promise<Reply> {
    return this.change(context, from, async (caller, path) => {
      const pairs = await separatePhotos(this.ports, caller, selectedIds(context.form.all('ids', FieldLength.word)));
      const text = 'These photos are not shown as similar any more.';
      if (pairs.length === 0) return { text };
      return { text, undo: { action: path('/rejoin'), field: 'pairs', values: pairs.map(pairText) } };
    });
  }

  @Post('rejoin')
  rejoin(@CurrentPageContext() context: PageContext, @Query('after') from: unknown): Promise<Reply> {
    return this.change(context, from, async (caller) => {
      await rejoinPhotos(this.ports, caller, context.form.all('pairs', FieldLength.word).flatMap(parsePair));
      return { text: 'These photos are shown as similar again.' };
    });
  }

  private async change(context: PageContext, from: unknown, work: Work): Promise<Reply> {
    const after = parseId(oneOfQuery(from));
    const back = (flash: Flash) => redirectTo(context, similarPath(after), flash);
    try {
      const done = await work(callerOfPage(context), (action) => similarPath(after, action));
      return back({ kind: 'done', ...done });
    } catch (error) {
      return back({ kind: 'failed', text: problemsOf(error).message });
    }
  }
}
