import { Controller, Delete, Get, Header, HttpCode, Inject, Post } from '@nestjs/common';
import { findCustomer } from '../../../core/customers/customer-directory.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { inviteUser } from '../../../core/users/people/invite.js';
import { removeUser } from '../../../core/users/people/manage.js';
import type { PeopleManager } from '../../../core/users/user.js';
import { RequireOperatorScope } from '../../access.js';
import { Idempotent, noBody, type RunIdempotently, StoreBodyAs } from '../../idempotency/idempotent.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { pathId } from '../../openapi/parameters.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { BodySchema, ValidBody } from '../../requests/read-request.js';
import { listView } from '../../responses/list-view.js';
import { Reply } from '../../responses/reply.js';
import { customerId } from '../customers/customer-path.js';
import { OperatorAccount } from '../operator-caller.js';
import { sealedBody } from '../sealed-body.js';
import {
  OperatorInvitationBody,
  OperatorInvitationView,
  OperatorPersonPage,
  operatorInvitationView,
  operatorPersonView,
} from './operator-person.view.js';

@DocumentTag('People', 'People with access to the settings area of an account.')
@Controller('operator/v1/customers/:customerId/people')
export class OperatorPeopleController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listPeople',
    summary: 'List the people of an account',
    description:
      'Returns everyone, including those who were invited and have not signed in, oldest first, on one page.',
    path: [customerId],
    answers: { 200: { description: 'Everyone.', body: OperatorPersonPage } },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:read')
  async list(@PathId('customerId') id: Id) {
    await findCustomer(this.ports, id);
    const data = await this.ports.store.query(id, ({ users }) => users.list());
    return listView({ data, nextCursor: null }, operatorPersonView);
  }

  @Post()
  @Documented({
    operationId: 'invitePerson',
    summary: 'Invite a person',
    description:
      'Creates a person and a link to sign in with. If the address belongs to somebody who has access, they get a new link, and any earlier one ends.',
    path: [customerId],
    body: 'The person.',
    answers: { 201: { description: 'The person, and the link.', body: OperatorInvitationView } },
    errors: ['not_found', 'limit_reached'],
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
      (invitation) => new Reply(201, operatorInvitationView(invitation)),
    );
  }

  @Delete(':personId')
  @Documented({
    operationId: 'removePerson',
    summary: 'Remove a person',
    description:
      'Ends their access and their sessions immediately. The only owner who has signed in cannot be removed.',
    path: [customerId, pathId('personId', 'person', 5)],
    answers: { 204: { description: 'The person was removed.' } },
    errors: ['not_found'],
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
