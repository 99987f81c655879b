import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { type FactorReference, removeFactor } from '../../../core/users/factors/remove.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { FACTORS_PATH } from '../factor-notice.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';
import { PASSKEY_FIELD, PASSKEY_SCRIPT, passkeyAnswerOf } from '../passkeys/passkey-form.js';
import { PASSKEYS_PATH } from '../passkeys/passkey-paths.js';
import { RemoveFactor } from './factors.view.js';

/** Removing one's second factors. The forms ask for a code or a passkey themselves, however recently one was given. */
@Controller(FACTORS_PATH.slice(1))
@RequireRole('viewer', { whileSuspended: true, beforeFactor: true })
export class RemoveFactorController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get(':id/remove')
  confirmApp(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.page(context, { kind: 'app', id }, null);
  }

  @Post(':id/remove')
  removeApp(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.remove(context, { kind: 'app', id });
  }

  @Get('passkeys/:id/remove')
  confirmPasskey(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.page(context, { kind: 'passkey', id }, null);
  }

  @Post('passkeys/:id/remove')
  removePasskey(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.remove(context, { kind: 'passkey', id });
  }

  private async remove(context: PageContext, which: FactorReference): Promise<Reply> {
    const code = passkeyAnswerOf(this.ports, context, PASSKEY_FIELD) ?? context.form.text('code', FieldLength.line);
    try {
      await removeFactor(this.ports, personOf(context), { ...which, code }, context.clientIp);
      const text = 'The second factor was removed. Every other browser of yours is signed out.';
      return redirectTo(context, FACTORS_PATH, { kind: 'done', text });
    } catch (error) {
      return await this.page(context, which, problemsOf(error));
    }
  }

  private async page(context: PageContext, { kind, id }: FactorReference, problems: Problems | null): Promise<Reply> {
    const { user } = personOf(context);
    const own = await this.ports.store.query(user.customerId, async ({ factors }) => ({
      app: await factors.appsOf(user.id),
      passkey: await factors.passkeysOf(user.id),
    }));
    const factor = requireFound(
      own[kind].find((each) => each.id === id),
      'second_factor',
    );
    const offersPasskeys = own.passkey.length > 0 && this.ports.addresses.passkeySite !== null;
    const isLast = own.app.length + own.passkey.length === 1;
    const action = `${kind === 'app' ? FACTORS_PATH : PASSKEYS_PATH}/${id}/remove`;
    const props = { name: factor.name, action, isLast, problems, offersPasskeys };
    const options = { title: `Remove “${factor.name}”`, section: 'account', styles: ['areas.css'] };
    const more = { scripts: [PASSKEY_SCRIPT], status: problems?.status ?? 200 };
    return renderPage(this.ports, context, { ...options, ...more }, <RemoveFactor {...props} />);
  }
}
