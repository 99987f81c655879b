import { Controller, Get, Inject, Post } from '@nestjs/common';
import { editWebhookEndpoint, rotateWebhookSecret } from '../../../core/events/edit-webhook-endpoint.js';
import { readWebhookEndpoint } from '../../../core/events/read-webhooks.js';
import { resendDelivery, sendTestEvent } from '../../../core/events/resend-delivery.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import type { Flash } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { AREA, customerOf, ONCE } from './webhook-area.js';
import { RotateSecret, ShowSecret } from './webhooks.view.js';

/** What the buttons of an endpoint do. */
@Controller('settings/webhooks')
export class WebhookActsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':id/enable')
  @For('owner')
  async enable(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfVisit(visit), id, { enabled: true });
    return back(visit, id, 'Enabled. What waited for it is sent now.');
  }

  @Post(':id/disable')
  @For('owner')
  async disable(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    await editWebhookEndpoint(this.ports, callerOfVisit(visit), id, { enabled: false });
    return back(visit, id, 'Disabled. Nothing is sent to it, and new events are not kept for it.');
  }

  @Get(':id/secret')
  @For('owner')
  async askRotate(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const endpoint = await readWebhookEndpoint(this.ports, customerOf(visit), id);
    return page(this.ports, visit, { ...AREA, title: 'Rotate the secret' }, <RotateSecret endpoint={endpoint} />);
  }

  @Post(':id/secret')
  @For('owner')
  async rotate(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const rotated = await rotateWebhookSecret(this.ports, callerOfVisit(visit), id);
    return page(this.ports, visit, { ...ONCE, title: 'New secret' }, <ShowSecret {...rotated} isNew={false} />);
  }

  @Post(':id/test')
  @For('owner')
  test(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    return this.sending(visit, id, () => sendTestEvent(this.ports, customerOf(visit), id), 'A test event is sent.');
  }

  @Post(':id/deliveries/:deliveryId')
  @For('owner')
  resend(@Visiting() visit: Visit, @PathId('id') id: Id, @PathId('deliveryId') deliveryId: Id): Promise<Reply> {
    return this.sending(
      visit,
      id,
      () => resendDelivery(this.ports, customerOf(visit), deliveryId),
      'It is sent again.',
    );
  }

  /** It may have been disabled since the page with the button was made. */
  private async sending(visit: Visit, id: Id, send: () => Promise<unknown>, done: string): Promise<Reply> {
    try {
      await send();
      return back(visit, id, done);
    } catch (error) {
      return back(visit, id, problemsOf(error).message, 'failed');
    }
  }
}

function back(visit: Visit, id: Id, text: string, kind: Flash['kind'] = 'done'): Reply {
  return goTo(visit, `/settings/webhooks/${id}`, { kind, text });
}
