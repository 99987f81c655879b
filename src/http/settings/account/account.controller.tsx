import { Controller, Get, Inject } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { For } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { page } from '../page.js';
import { Card, Heading } from '../parts.js';
import { personOf, type Visit, Visiting } from '../visit.js';

/** The account, and whoever is signed in. */
@Controller('settings/account')
export class AccountController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  show(@Visiting() visit: Visit): Reply {
    const { customer, user } = personOf(visit);
    return page(
      this.ports,
      visit,
      { title: 'Account', section: 'account' },
      <>
        <Heading title="Account" lead={customer.name} />
        <Card title="You">
          <p>
            {user.email ?? 'First owner'}, {user.role}
          </p>
        </Card>
      </>,
    );
  }
}
