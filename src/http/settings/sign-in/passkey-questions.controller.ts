import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import {
  askAgain,
  askForNewPasskey,
  askForSecondStep,
  askToSignIn,
  type PasskeyQuestion,
} from '../../../core/users/factors/ask-for-passkey.js';
import { Public, RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../responses/reply.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';
import { NEW_PASSKEY_FIELD, PASSKEY_FIELD, rememberChallenge } from '../passkeys/passkey-form.js';
import { creationOptions, requestOptions } from '../passkeys/passkey-options.js';
import { ASK_AGAIN, ASK_FOR_NEW, ASK_SECOND_STEP, ASK_TO_SIGN_IN } from '../passkeys/passkey-paths.js';
import { pendingOf } from './pending-sign-in.js';

/** What a script asks the browser for. Each answer brings the cookie of its challenge, which counts once. */
@Controller()
export class PasskeyQuestionsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(ASK_TO_SIGN_IN)
  @Public()
  toSignIn(@CurrentPageContext() context: PageContext): Reply {
    return this.asked(context, askToSignIn(this.ports));
  }

  @Post(ASK_SECOND_STEP)
  @Public()
  async secondStep(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.asked(context, await askForSecondStep(this.ports, pendingOf(this.ports, context.request) ?? ''));
  }

  @Post(ASK_AGAIN)
  @RequireRole('viewer', { whileSuspended: true, beforeFactor: true })
  async again(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.asked(context, await askAgain(this.ports, personOf(context)));
  }

  @Post(ASK_FOR_NEW)
  @RequireRole('viewer', { confirmed: true, whileSuspended: true, beforeFactor: true })
  async forNew(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const person = personOf(context);
    const question = await askForNewPasskey(this.ports, person, context.form.has('alone'));
    rememberChallenge(this.ports, context.request, NEW_PASSKEY_FIELD, question.cookie);
    return answerTo(creationOptions(question, person));
  }

  private asked(context: PageContext, question: PasskeyQuestion): Reply {
    rememberChallenge(this.ports, context.request, PASSKEY_FIELD, question.cookie);
    return answerTo(requestOptions(question));
  }
}

function answerTo(options: object): Reply {
  return new Reply(200, options, { 'Cache-Control': 'no-store' });
}
