import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { invalid } from '../../../core/shared/errors.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { editTag, previewMerge } from '../../../core/tags/edit-tag.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { allOfQuery } from '../address.js';
import { pluralize } from '../counted.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { AREA } from './tag-area.js';
import { MergeForm } from './tags.view.js';

/** The tag to keep, and as many others as can be merged at once. */
const MAX_CHOSEN = 21;

/** Several tags become one. Before the pages of single tags, whose ids would take its path. */
@Controller('settings/tags/merge')
export class MergeTagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireRole('editor')
  async chooseMerge(@CurrentPageContext() context: PageContext, @Query('id') query: unknown): Promise<Reply> {
    const ids = idsOf(allOfQuery(query));
    if (ids.length >= 2 && ids.length <= MAX_CHOSEN) return this.mergePage(context, ids, null);
    const text = `Select two or more tags to merge, at most ${MAX_CHOSEN}.`;
    return redirectTo(context, '/settings/tags', { kind: 'failed', text });
  }

  @Post()
  @RequireRole('editor')
  async merge(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const ids = idsOf(context.form.all('id', FieldLength.word));
    const into = parseId(context.form.text('into', FieldLength.word)) ?? 0;
    try {
      if (ids.length > MAX_CHOSEN) {
        throw invalid({ field: 'id', code: 'too_many', message: `At most ${MAX_CHOSEN} tags can be merged at once.` });
      }
      const mergeTagIds = ids.filter((id) => id !== into);
      const tag = await editTag(this.ports, callerOfPage(context), into, { mergeTagIds });
      const text = `${pluralize(mergeTagIds.length, 'tag')} merged into “${tag.name}”, now on ${pluralize(tag.photoCount, 'photo')}.`;
      return redirectTo(context, '/settings/tags', { kind: 'done', text });
    } catch (error) {
      return this.mergePage(context, ids, problemsOf(error));
    }
  }

  private async mergePage(context: PageContext, ids: readonly Id[], problems: Problems | null): Promise<Reply> {
    const preview = await previewMerge(this.ports, callerOfPage(context), ids);
    const options = { ...AREA, title: 'Merge tags', status: problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <MergeForm preview={preview} problems={problems} />);
  }
}

function idsOf(texts: readonly string[]): readonly Id[] {
  return [...new Set(texts.map((text) => parseId(text) ?? 0))];
}
