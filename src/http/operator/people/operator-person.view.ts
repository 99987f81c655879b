import type { Invitation } from '../../../core/users/people/invite.js';
import { MAX_EMAIL, type Role, type User } from '../../../core/users/user.js';
import { RequestModel, ResponseModel } from '../../fields/declared.js';
import { Flag, IdOf, Instant, Nested, OneOf, pageOf, Text } from '../../fields/fields.js';
import { roleMeanings } from '../../fields/role-meanings.js';
import { instant, optionalInstant } from '../../responses/wire.js';

@ResponseModel('OperatorPerson', 'A person with access to the settings area of an account.')
export class OperatorPersonView {
  @IdOf({ description: 'The unique identifier of the person.', example: 5 })
  id: number;

  @Text({
    description:
      'The e-mail address, in lower case. Null for the first owner of an installation until that person signs in.',
    example: 'anna@example.com',
    nullable: true,
  })
  email: string | null;

  @OneOf<Role>(roleMeanings, { description: 'What the person may do.' })
  role: Role;

  @Flag({ description: 'Whether the person has signed in; otherwise the invitation is open.', example: true })
  hasJoined: boolean;

  @Instant({ description: 'When the person was invited.' })
  createdAt: string;

  @Instant({ description: 'When the person last signed in. Null: never.', nullable: true })
  lastSignInAt: string | null;
}

export const OperatorPersonPage = pageOf('OperatorPersonPage', 'All people of an account.', OperatorPersonView);

@ResponseModel('OperatorInvitation', 'A person and the link to sign in with.')
export class OperatorInvitationView {
  @Nested(OperatorPersonView)
  person: OperatorPersonView;

  @Text({
    description:
      'Signs the person in once, within seven days. It replaces any earlier link, and is shown here and in repetitions of this request only. The service mails it to the person if it can send mail (`SMTP_URL`); otherwise pass it on.',
    example: 'https://photos.example.com/settings/enter/n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
    format: 'uri',
  })
  link: string;
}

@RequestModel('NewOperatorPerson', 'A person to invite.')
export class OperatorInvitationBody {
  @Text({ description: 'The e-mail address.', example: 'anna@example.com', max: MAX_EMAIL, required: true })
  email: string;

  @OneOf<Role>(roleMeanings, {
    description: 'What the person may do. Somebody who has access already keeps their role.',
    default: 'owner',
  })
  role?: Role;
}

export function operatorPersonView(user: User): OperatorPersonView {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    hasJoined: user.joinedAt !== null,
    createdAt: instant(user.createdAt),
    lastSignInAt: optionalInstant(user.lastSignInAt),
  };
}

export function operatorInvitationView({ user, link }: Invitation): OperatorInvitationView {
  return { person: operatorPersonView(user), link };
}
