import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  createDeliveryKey,
  type DeliveryKey,
  type DeliveryKeySettings,
  deleteDeliveryKey,
  editDeliveryKey,
  type ImageDelivery,
  readDeliveryKey,
  readImageDelivery,
} from '../../core/delivery/delivery-key.js';
import { previewOptions } from '../../core/delivery/open-named-picture.js';
import { deletePreset, presetValues, readPreset, savePreset } from '../../core/delivery/preset.js';
import type { Id } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { privateHeaders, sendDownload } from '../../http/responses/send-download.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { oneOfQuery } from '../address.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { editsOf, saveEdits, saveNew } from '../resource-form.js';
import {
  AREA,
  DeliveryKeyForm,
  type DeliveryKeyFormState,
  DeliveryPage,
  deliveryKeyForm,
  LIST,
  ONCE,
  PictureUsage,
  PresetForm,
  type PresetFormProps,
  presetPath,
  ShowDeliverySecret,
} from './delivery.view.js';

/** The page on image delivery, and its keys. Presets are in PresetsController. */
@Controller('settings/delivery')
@RequireRole('admin', { confirmed: true })
export class DeliveryKeysController extends PageController {
  @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder;

  @Get()
  @InNavigation('Image delivery', 45)
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const page = <DeliveryPage delivery={await this.delivery(context)} now={this.ports.clock.now()} />;
    return this.render(context, { ...AREA, title: 'Image delivery' }, page);
  }

  @Get('keys/new')
  newForm(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.form(context, { subject: null, fields: deliveryKeyForm.blank, problems: null });
  }

  @Post('keys/new')
  create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const save = async (values: DeliveryKeySettings) => {
      const { key, secret } = await createDeliveryKey(this.ports, callerOfPage(context), values);
      const page = <ShowDeliverySecret subject={key} secret={secret} />;
      return this.render(context, { ...ONCE, title: 'Delivery key created' }, page);
    };
    return saveNew(context, deliveryKeyForm, save, (state) => this.form(context, state));
  }

  @Get('keys/:id/edit')
  async editForm(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await readDeliveryKey(this.ports, customerOf(context), id);
    return this.form(context, { subject: key, fields: deliveryKeyForm.fieldsOf(key), problems: null });
  }

  @Post('keys/:id/edit')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await readDeliveryKey(this.ports, customerOf(context), id);
    const save = async (changes: Partial<DeliveryKeySettings>, check: Precondition<DeliveryKey>) => {
      const { name } = await editDeliveryKey(this.ports, callerOfPage(context), id, changes, check);
      return redirectTo(context, LIST, { kind: 'done', text: `“${name}” was saved.` });
    };
    return saveEdits(context, deliveryKeyForm, key, save, (state) => this.form(context, state));
  }

  @Get('keys/:id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name, publicId } = await readDeliveryKey(this.ports, customerOf(context), id);
    const page = (
      <Confirm title={`Delete key “${name}”?`} action={`${LIST}/keys/${id}/delete`} button="Delete key" back={LIST}>
        <p>
          The service refuses all URLs signed with <code>{publicId}</code> immediately; caches may show their copies
          until these expire. This cannot be undone. Photos and presets are not affected.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Delete a delivery key' }, page);
  }

  @Post('keys/:id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await readDeliveryKey(this.ports, customerOf(context), id);
    await deleteDeliveryKey(this.ports, callerOfPage(context), id);
    const text = `“${name}” was deleted; URLs signed with it no longer work.`;
    return redirectTo(context, LIST, { kind: 'done', text });
  }

  private async form(context: PageContext, state: DeliveryKeyFormState): Promise<Reply> {
    const { subject, problems } = state;
    const title = subject === null ? 'Create delivery key' : `Delivery key “${subject.name}”`;
    const page = (
      <>
        <DeliveryKeyForm {...state} />
        {subject && <PictureUsage delivery={await this.delivery(context)} subject={subject} />}
      </>
    );
    return this.render(context, { ...AREA, title, problems }, page);
  }

  /** With what this process has counted so far. */
  private async delivery(context: PageContext): Promise<ImageDelivery> {
    await this.traffic.flush();
    return readImageDelivery(this.ports, customerOf(context));
  }
}

/** Presets, and what one would show of the newest photo. */
@Controller('settings/delivery')
@RequireRole('admin')
export class PresetsController extends PageController {
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
    const [title, action] = [`Delete preset “${name}”?`, presetPath(name, 'delete')];
    const page = (
      <Confirm title={title} action={action} button="Delete preset" back={LIST}>
        <p>
          The service refuses all URLs that name it immediately; caches may show their copies until these expire. A new
          preset of the same name makes the URLs work again.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Delete a preset' }, page);
  }

  @Post('presets/:preset/delete')
  async delete(@CurrentPageContext() context: PageContext, @Param('preset') name: string): Promise<Reply> {
    await deletePreset(this.ports, callerOfPage(context), name);
    return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was deleted.` });
  }

  @Get('preview')
  async preview(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const { name, ...download } = await previewOptions(
      this.ports,
      callerOfPage(context),
      oneOfQuery(context.request.query['options']),
    );
    await sendDownload(context.request, response, {
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
      if (subject === null || changed.options !== undefined) {
        const values = { name, options, isNew: subject === null };
        await savePreset(this.ports, callerOfPage(context), values, (current) =>
          requireUnchanged({ options: current.options }),
        );
      }
      return redirectTo(context, LIST, { kind: 'done', text: `The preset “${name}” was saved.` });
    } catch (error) {
      return this.form(context, { ...fields, preview: null, problems: problemsOf(error) });
    }
  }

  private form(context: PageContext, props: PresetFormProps): Reply {
    const title = props.subject === null ? 'Create preset' : 'Edit preset';
    const options = { ...AREA, title, problems: props.problems };
    return this.render(context, options, <PresetForm {...props} />);
  }
}
