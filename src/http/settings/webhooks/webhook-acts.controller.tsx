import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { resendDelivery, sendTestEvent } from '../../../core/webhooks/deliver.js';
import {
  editWebhookEndpoint,
  readDelivery,
  readWebhookEndpoint,
  rotateWebhookSecret,
} from '../../../core/webhooks/endpoints.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import type { Flash } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { DeliveryPage } from './delivery.view.js';
import { AREA, ONCE } from './webhook-area.js';
import { RotateSecret, ShowSecret } from './webhooks.view.js';

/** What the buttons of an endpoint and of its log do. */
@Controller('settings/webhooks')
export class WebhookActsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':id/enable')
  @RequireRole('admin')
  async enable(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfPage(context), id, { enabled: true });
    return back(context, id, 'Enabled. Pending events are being sent.');
  }

  @Post(':id/disable')
  @RequireRole('admin')
  async disable(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfPage(context), id, { enabled: false });
    return back(context, id, 'Disabled. Nothing is sent to it, and new events are not stored for it.');
  }

  @Get(':id/secret')
  @RequireRole('admin')
  async confirmRotate(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(context), id);
    return renderPage(
      this.ports,
      context,
      { ...AREA, title: 'Rotate the secret' },
      <RotateSecret endpoint={endpoint} />,
    );
  }

  @Post(':id/secret')
  @RequireRole('admin', { confirmed: true })
  async rotate(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const rotated = await rotateWebhookSecret(this.ports, callerOfPage(context), id);
    return renderPage(this.ports, context, { ...ONCE, title: 'New secret' }, <ShowSecret {...rotated} isNew={false} />);
  }

  @Post(':id/test')
  @RequireRole('admin')
  test(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.sending(
      context,
      id,
      () => sendTestEvent(this.ports, customerOf(context), id),
      'A test event is being sent.',
    );
  }

  @Get(':id/deliveries/:deliveryId')
  @RequireRole('admin')
  async show(@CurrentPageContext() context: PageContext, @PathId('deliveryId') deliveryId: Id): Promise<Reply> {
    const delivery = await readDelivery(this.ports, customerOf(context), deliveryId);
    return renderPage(this.ports, context, { ...AREA, title: 'Delivery' }, <DeliveryPage delivery={delivery} />);
  }

  @Post(':id/deliveries/:deliveryId')
  @RequireRole('admin')
  resend(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @PathId('deliveryId') deliveryId: Id,
  ): Promise<Reply> {
    return this.sending(
      context,
      id,
      () => resendDelivery(this.ports, customerOf(context), deliveryId),
      'The event is being sent again.',
    );
  }

  /** It may have been disabled since the page with the button was made. */
  private async sending(context: PageContext, id: Id, send: () => Promise<unknown>, done: string): Promise<Reply> {
    try {
      await send();
      return back(context, id, done);
    } catch (error) {
      return back(context, id, problemsOf(error).message, 'failed');
    }
  }
}

function back(context: PageContext, id: Id, text: string, kind: Flash['kind'] = 'done'): Reply {
  return redirectTo(context, `/settings/webhooks/${id}`, { kind, text });
}
