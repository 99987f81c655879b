import { Controller, Get, Inject, Post } from '@nestjs/common';
import {
  createDeliveryKey,
  type DeliveryKey,
  type DeliveryKeySettings,
  deleteDeliveryKey,
  editDeliveryKey,
  type ImageDelivery,
  MAX_DELIVERY_KEY_NAME,
  MAX_DELIVERY_KEYS,
  readDeliveryKey,
  readImageDelivery,
} from '../../core/delivery/delivery-key.js';
import { isExpired } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { TRAFFIC_DAYS } from '../../core/traffic/traffic.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { ExpiryField, expiryOf, Field, lastDay } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, InNavigation, type PageContext } from '../page-context.js';
import {
  Badge,
  Card,
  Confirm,
  ContinueLink,
  Copied,
  Copyable,
  Empty,
  Heading,
  LinkButton,
  Moment,
  Table,
} from '../parts.js';
import { FormCard, type FormState, saveEdits, saveNew } from '../resource-form.js';
import { AREA, LIST, ofKey, PictureUsage, sum } from './delivery.view.js';
import { Presets } from './presets.controller.js';

@Controller('settings/delivery')
@RequireRole('admin', { confirmed: true })
export class DeliveryKeysController extends PageController {
  @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder;

  @Get()
  @InNavigation('Image delivery', 45)
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const delivery = await this.delivery(context);
    const now = this.ports.clock.now();
    const { formats } = context;
    const { keys } = delivery;
    const page = (
      <>
        <Heading
          title="Image delivery"
          lead="Your own server signs URLs of images, in the sizes and formats that your pages need."
        >
          <LinkButton href={`${LIST}/keys/new`} label="Create key" kind="primary" />
          <LinkButton href={`${LIST}/presets/new`} label="Create preset" />
        </Heading>
        <section class="log">
          <h2>Delivery keys</h2>
          <p class="lead">Deleting a key invalidates all URLs signed with it. At most {MAX_DELIVERY_KEYS}.</p>
          {keys.length === 0 ? (
            <Empty icon="key-round" title="No delivery keys yet">
              <p>Create one to sign the first URL.</p>
            </Empty>
          ) : (
            <Table
              caption="Delivery keys"
              columns={['Key', 'Options', 'Expires', `Requests in ${TRAFFIC_DAYS} days`, '']}
              rows={keys.map((key) => ({
                key: key.id,
                cells: [
                  <>
                    <a class="strong" href={`${LIST}/keys/${key.id}/edit`}>
                      {key.name}
                    </a>
                    <code class="small soft">{key.publicId}</code>
                    {isExpired(key, now) && <Badge tone="bad">Expired</Badge>}
                  </>,
                  key.presetsOnly ? 'Presets only' : 'Any',
                  <Moment key="expires" at={key.expiresAt} />,
                  formats.number(sum(ofKey(delivery, key.id)).requests),
                  <span key="do" class="actions">
                    <LinkButton
                      href={`${LIST}/keys/${key.id}/delete`}
                      label="Delete…"
                      isSmall
                      name={`Delete ${key.name}`}
                    />
                  </span>,
                ],
              }))}
            />
          )}
        </section>
        <Presets presets={delivery.presets} />
        <PictureUsage delivery={delivery} />
      </>
    );
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
      const page = (
        <>
          <Heading title={`“${key.name}” is ready`} />
          <Card
            title="Its secret"
            lead="It is shown only once: store it on your server, like a password. It must not reach a browser."
          >
            <p>
              Id of the key: <code>{key.publicId}</code>
            </p>
            <Copyable id="secret" text={secret} />
            <Copied />
            <ContinueLink href={LIST} label="I have stored it" kind="primary" />
          </Card>
        </>
      );
      const options = { ...AREA, scripts: ['copy.js', 'no-resend.js'], title: 'Delivery key created' };
      return this.render(context, options, page);
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

  private async form(
    context: PageContext,
    { subject, fields, problems }: FormState<DeliveryKey, typeof blank>,
  ): Promise<Reply> {
    const title = subject === null ? 'Create delivery key' : `Delivery key “${subject.name}”`;
    const page = (
      <>
        {subject === null ? (
          <Heading title="Create delivery key" lead="Your server signs URLs of images with its secret." />
        ) : (
          <Heading
            title={`Delivery key “${subject.name}”`}
            lead="Changes apply to all URLs signed with it, immediately."
          />
        )}
        <FormCard
          action={subject === null ? `${LIST}/keys/new` : `${LIST}/keys/${subject.id}/edit`}
          problems={problems}
          shown={subject && deliveryKeyForm.fieldsOf(subject)}
          button={subject === null ? 'Create key' : 'Save'}
          cancel={LIST}
        >
          <Field
            label="Name"
            name="name"
            errors={problems}
            hint="What the key is for, for example your shop."
            input={{ value: fields.name, required: true, maxLength: MAX_DELIVERY_KEY_NAME, autocomplete: 'off' }}
          />
          <div class="choice">
            <input type="checkbox" id="presets-only" name="presetsOnly" value="yes" checked={fields.presetsOnly} />
            <label for="presets-only">Presets only: its URLs name a preset, and no other option</label>
          </div>
          <ExpiryField end="Its URLs stop working" value={fields.expiresOn} problems={problems} />
        </FormCard>
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

const blank = { name: '', presetsOnly: false, expiresOn: '' };

const deliveryKeyForm = {
  blank,
  lengths: { expiresOn: FieldLength.word },
  fieldsOf: ({ name, presetsOnly, expiresAt }: DeliveryKey) => ({ name, presetsOnly, expiresOn: lastDay(expiresAt) }),
  /** Errors: `invalid_request`. */
  valuesOf: ({ name, presetsOnly, expiresOn }: typeof blank) => ({ name, presetsOnly, expiresAt: expiryOf(expiresOn) }),
};
