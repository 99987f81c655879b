import { Controller, Get, Inject, Post } from '@nestjs/common';
import { deleteOwnKey, ownKey } from '../../../core/access/keys.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { KeyUseRecorder } from '../../guards/key-use-recorder.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, customerOf, type PageContext } from '../page-context.js';
import { DeleteKey } from './key-made.view.js';

@Controller('settings/keys')
@RequireRole('admin', { confirmed: true })
export class KeyDeletionController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder,
  ) {}

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await this.uses.flush();
    const key = await ownKey(this.ports, customerOf(context), id);
    return renderPage(this.ports, context, { title: 'Delete a key', section: 'keys' }, <DeleteKey subject={key} />);
  }

  @Post(':id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name } = await ownKey(this.ports, customerOf(context), id);
    await deleteOwnKey(this.ports, callerOfPage(context), id);
    return redirectTo(context, '/settings/keys', { kind: 'done', text: `“${name}” was deleted and no longer works.` });
  }
}
