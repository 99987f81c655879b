import { Controller, Get, Inject, Post } from '@nestjs/common';
import { createDeliveryKey } from '../../../core/delivery/create-delivery-key.js';
import { deleteDeliveryKey } from '../../../core/delivery/delete-delivery-key.js';
import type { DeliveryKey } from '../../../core/delivery/delivery-key.js';
import type { DeliveryKeySettings } from '../../../core/delivery/delivery-key-values.js';
import { editDeliveryKey } from '../../../core/delivery/edit-delivery-key.js';
import { readDeliveryKey } from '../../../core/delivery/read-delivery-keys.js';
import { type ImageDelivery, readImageDelivery } from '../../../core/delivery/read-image-delivery.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { TrafficRecorder } from '../../guards/traffic-recorder.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { expiryOf, lastDay } from '../expiry-day.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { InNavigation } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { editsOf } from '../shown-values.js';
import { DeliveryPage } from './delivery.view.js';
import { AREA, LIST, ONCE } from './delivery-area.js';
import {
  DeleteDeliveryKey,
  type DeliveryKeyFields,
  DeliveryKeyForm,
  fieldsOfKey,
  ShowDeliverySecret,
} from './delivery-key.view.js';
import { PictureUsage } from './picture-usage.view.js';

/** The page on image delivery, and its keys. Presets are in PresetsController. */
@Controller('settings/delivery')
@RequireRole('admin', { confirmed: true })
export class DeliveryKeysController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  @Get()
  @InNavigation('Image delivery', 45)
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const page = <DeliveryPage delivery={await this.delivery(context)} now={this.ports.clock.now()} />;
    return renderPage(this.ports, context, { ...AREA, title: 'Image delivery' }, page);
  }

  @Get('keys/new')
  newForm(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.form(context, null, { name: '', presetsOnly: false, expiresOn: '' }, null);
  }

  @Post('keys/new')
  async create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const fields = fieldsOf(context.form);
    try {
      const { key, secret } = await createDeliveryKey(this.ports, callerOfPage(context), submittedValues(fields, null));
      return renderPage(
        this.ports,
        context,
        { ...ONCE, title: 'Delivery key created' },
        <ShowDeliverySecret subject={key} secret={secret} />,
      );
    } catch (error) {
      return this.form(context, null, fields, problemsOf(error));
    }
  }

  @Get('keys/:id/edit')
  async editForm(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await readDeliveryKey(this.ports, customerOf(context), id);
    return this.form(context, key, fieldsOfKey(key), null);
  }

  @Post('keys/:id/edit')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await readDeliveryKey(this.ports, customerOf(context), id);
    const shown = fieldsOfKey(key);
    const { changed, requireUnchanged } = editsOf(context.form, fieldsOf(context.form));
    const fields = { ...shown, ...changed };
    try {
      requireUnchanged(shown);
      const { name } = await editDeliveryKey(this.ports, callerOfPage(context), id, submittedValues(fields, key));
      return redirectTo(context, LIST, { kind: 'done', text: `“${name}” was saved.` });
    } catch (error) {
      return this.form(context, key, fields, problemsOf(error));
    }
  }

  @Get('keys/:id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const key = await readDeliveryKey(this.ports, customerOf(context), id);
    const page = <DeleteDeliveryKey subject={key} />;
    return renderPage(this.ports, context, { ...AREA, title: 'Delete a delivery key' }, page);
  }

  @Post('keys/:id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await readDeliveryKey(this.ports, customerOf(context), id);
    await deleteDeliveryKey(this.ports, callerOfPage(context), id);
    return redirectTo(context, LIST, {
      kind: 'done',
      text: `“${name}” was deleted; URLs signed with it no longer work.`,
    });
  }

  private async form(
    context: PageContext,
    subject: DeliveryKey | null,
    fields: DeliveryKeyFields,
    problems: Problems | null,
  ): Promise<Reply> {
    const title = subject === null ? 'Create delivery key' : `Delivery key “${subject.name}”`;
    const options = { ...AREA, title, status: problems?.status ?? 200 };
    const form = <DeliveryKeyForm subject={subject} fields={fields} problems={problems} />;
    if (subject === null) return renderPage(this.ports, context, options, form);
    const page = (
      <>
        {form}
        <PictureUsage delivery={await this.delivery(context)} subject={subject} />
      </>
    );
    return renderPage(this.ports, context, options, page);
  }

  /** With what this process has counted so far. */
  private async delivery(context: PageContext): Promise<ImageDelivery> {
    await this.traffic.flush();
    return readImageDelivery(this.ports, customerOf(context));
  }
}

function fieldsOf(form: FormFields): DeliveryKeyFields {
  return {
    name: form.text('name', FieldLength.line),
    presetsOnly: form.has('presetsOnly'),
    expiresOn: form.text('expiresOn', FieldLength.word).trim(),
  };
}

/**
 * What was not changed is not there: an expiry may have passed since.
 * @param before Null: a new key. Errors: `invalid_request`.
 */
function submittedValues(fields: DeliveryKeyFields, before: null): DeliveryKeySettings;
function submittedValues(fields: DeliveryKeyFields, before: DeliveryKey): Partial<DeliveryKeySettings>;
function submittedValues({ name, presetsOnly, expiresOn }: DeliveryKeyFields, before: DeliveryKey | null) {
  if (before !== null && expiresOn === lastDay(before.expiresAt)) return { name, presetsOnly };
  return { name, presetsOnly, expiresAt: expiryOf(expiresOn) };
}
