import { Controller, Delete, Get, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { findCustomer } from '../../core/customers/customer-directory.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { listPeople, removeUser } from '../../core/users/people/manage.js';
import { inviteUser } from '../../core/users/people/one-time-link.js';
import { MAX_EMAIL, type PeopleManager, type Role, type User } from '../../core/users/user.js';
import { RequireOperatorScope } from '../../http/access.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Nested, OneOf, pageOf, Text } from '../../http/fields/fields.js';
import { roleMeanings } from '../../http/fields/meanings.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, ValidBody } from '../../http/requests/read-request.js';
import { instant, listView, optionalInstant, Reply } from '../../http/responses/reply.js';
import { Idempotent, noBody, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import { customerId, OperatorAccount, sealedBody } from './operator-caller.js';

@ResponseModel('OperatorPerson', 'A person with access to the settings area of an account.')
class OperatorPersonView {
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

const OperatorPersonPage = pageOf('OperatorPersonPage', 'All people of an account.', OperatorPersonView);

@ResponseModel('OperatorInvitation', 'A person and the link to sign in with.')
class OperatorInvitationView {
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
class OperatorInvitationBody {
  @Text({ description: 'The e-mail address.', example: 'anna@example.com', max: MAX_EMAIL, required: true })
  email: string;

  @OneOf<Role>(roleMeanings, {
    description: 'What the person may do. Someone who has access already keeps their role.',
    default: 'owner',
  })
  role?: Role;
}

function operatorPersonView(user: User): OperatorPersonView {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    hasJoined: user.joinedAt !== null,
    createdAt: instant(user.createdAt),
    lastSignInAt: optionalInstant(user.lastSignInAt),
  };
}

@DocumentTag('People', 'People with access to the settings area of an account.')
@PathParameters(customerId, pathId('personId', 'person', 5))
@Controller('operator/v1/customers/:customerId/people')
export class OperatorPeopleController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listPeople',
    summary: 'List the people of an account',
    description:
      'Returns everyone, including those who were invited and have not signed in, oldest first, on one page.',
    answers: { 200: { description: 'Everyone.', body: OperatorPersonPage } },
  })
  @RequireOperatorScope('customers:read')
  async list(@PathId('customerId') id: Id) {
    await findCustomer(this.ports, id);
    const data = await listPeople(this.ports, id);
    return listView({ data, nextCursor: null }, operatorPersonView);
  }

  @Post()
  @Documented({
    operationId: 'invitePerson',
    summary: 'Invite a person',
    description:
      'Creates a person and a link to sign in with. If the address belongs to someone who has access, they get a new link, and any earlier one ends.',
    body: 'The person.',
    answers: { 201: { description: 'The person, and the link.', body: OperatorInvitationView } },
    errors: ['limit_reached'],
  })
  @RequireOperatorScope('people:write')
  @StoreBodyAs(sealedBody)
  @Header('Cache-Control', 'no-store')
  @BodySchema(OperatorInvitationBody)
  invite(
    @OperatorAccount() caller: PeopleManager,
    @ValidBody() { email, role = 'owner' }: OperatorInvitationBody,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent(
      (ports) => inviteUser(ports, caller, { email, role }),
      ({ user, link }) => {
        const body: OperatorInvitationView = { person: operatorPersonView(user), link };
        return new Reply(201, body);
      },
    );
  }

  @Delete(':personId')
  @Documented({
    operationId: 'removePerson',
    summary: 'Remove a person',
    description:
      'Ends their access and their sessions immediately. The only owner who has signed in cannot be removed.',
    answers: { 204: { description: 'The person was removed.' } },
  })
  @RequireOperatorScope('people:write')
  @HttpCode(204)
  remove(
    @OperatorAccount() caller: PeopleManager,
    @PathId('personId') personId: Id,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => removeUser(ports, caller, personId), noBody);
  }
}
