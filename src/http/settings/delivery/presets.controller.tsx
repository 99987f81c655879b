import { Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { deletePreset } from '../../../core/delivery/delete-preset.js';
import { presetValues } from '../../../core/delivery/preset.js';
import { previewOptions } from '../../../core/delivery/preview-options.js';
import { readPreset } from '../../../core/delivery/read-presets.js';
import { savePreset } from '../../../core/delivery/save-preset.js';
import type { Ports } from '../../../core/ports.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { privateHeaders, sendDownload } from '../../responses/send-download.js';
import { oneOfQuery } from '../address.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { editsOf } from '../shown-values.js';
import { AREA, LIST } from './delivery-area.js';
import { DeletePreset, PresetForm, type PresetFormProps } from './preset.view.js';

/** Presets, and what one would show of the newest photo. */
@Controller('settings/delivery')
@RequireRole('admin')
export class PresetsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get('presets/new')
  newForm(@CurrentPageContext() context: PageContext): Reply {
    return this.form(context, { subject: null, name: '', options: '', preview: null, problems: null });
  }

  @Post('presets/new')
  create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.submitted(context, { subject: null, name: context.form.text('name', FieldLength.line).trim() });
  }

  @Get('presets/:preset/edit')
  async editForm(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    const subject = await readPreset(this.ports, customerOf(context), name);
    const { options } = subject;
    return this.form(context, { subject, name, options, preview: options, problems: null });
  }

  @Post('presets/:preset/edit')
  async edit(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    const subject = await readPreset(this.ports, customerOf(context), name);
    return this.submitted(context, { subject, name });
  }

  @Get('presets/:preset/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    await readPreset(this.ports, customerOf(context), name);
    return renderPage(this.ports, context, { ...AREA, title: 'Delete a preset' }, <DeletePreset name={name} />);
  }

  @Post('presets/:preset/delete')
  async delete(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    await deletePreset(this.ports, callerOfPage(context), name);
    return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was deleted.` });
  }

  @Get('preview')
  async preview(
    @CurrentPageContext() context: PageContext,
    @Query('options') query: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { name, ...download } = await previewOptions(this.ports, callerOfPage(context), oneOfQuery(query));
    await sendDownload(request, response, {
      ...download,
      entityTag: `"${name}"`,
      lastModified: download.photo.updatedAt,
      filename: 'preview',
      disposition: 'inline',
      headers: privateHeaders,
    });
  }

  /** Saves the preset, or only shows the form again with a preview. */
  private async submitted(
    context: PageContext,
    { subject, name }: Pick<PresetFormProps, 'subject' | 'name'>,
  ): Promise<Reply> {
    const sent = { options: context.form.text('options', FieldLength.line).replace(/\s/g, '') };
    const { changed, requireUnchanged } = editsOf(context.form, sent);
    const options = subject === null ? sent.options : (changed.options ?? subject.options);
    const fields = { subject, name, options };
    try {
      if (subject !== null) requireUnchanged({ options: subject.options });
      if (context.form.text('do', FieldLength.word) === 'preview') {
        // Without a name yet, too.
        const { options: preview } = presetValues({ name: name || 'preview', options });
        return this.form(context, { ...fields, preview, problems: null });
      }
      await savePreset(this.ports, callerOfPage(context), { name, options, isNew: subject === null });
      return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was saved.` });
    } catch (error) {
      return this.form(context, { ...fields, preview: null, problems: problemsOf(error) });
    }
  }

  private form(context: PageContext, props: PresetFormProps): Reply {
    const title = props.subject === null ? 'Create preset' : 'Edit preset';
    const options = { ...AREA, title, status: props.problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <PresetForm {...props} />);
  }
}
