import { Command, InvalidArgumentError } from 'commander';
import { print } from 'photo-service-cli/print';
import { operatorFor } from '../core/customers/customer.js';
import type { Ports } from '../core/ports.js';
import type { Id } from '../core/shared/ids.js';
import { removeUser } from '../core/users/people/manage.js';
import { type Invitation, inviteUser, issueLink } from '../core/users/people/one-time-link.js';
import { isRole, type Role, roles, type User } from '../core/users/user.js';
import { idOption } from './options.js';
import { addList, type OfCustomer, ofCustomer, pick } from './resource-commands.js';
import { withPorts } from './with-ports.js';

export function userCommand(): Command {
  const users = new Command('user').description("manage the people with access to a customer's settings area");

  ofCustomer(users.command('invite'), 'create a link that signs in a person once; replaces an earlier link')
    .requiredOption('--email <address>', 'the person to invite')
    .option('--role <role>', `${roles.join(', ')}; existing people keep theirs`, roleOption, 'owner')
    .action(async (options: OfCustomer & { email: string; role: Role }) => {
      const invitation = await withPorts((ports) => inviteUser(ports, operatorFor(options.customer), options));
      printLink(options, invitation);
    });

  ofCustomer(
    users.command('link'),
    'create a new link for a person, for example to set a new password; replaces the earlier link',
  )
    .argument('<id>', 'the id of the person', idOption)
    .option(
      '--without-factors',
      'the link also removes the passkeys, authenticator apps and recovery codes of the person, who lost them',
    )
    .action(async (id: Id, options: OfCustomer & { withoutFactors?: boolean }) => {
      const made = await withPorts((ports) => issueLink(ports, operatorFor(options.customer), id, options));
      printLink(options, made);
    });

  const read = ({ store }: Ports, customer: Id) => store.query(customer, (reader) => reader.users.list());
  addList(users, 'list the people of a customer', read, ['users', userJson], {
    ID: ({ id }) => id,
    'E-MAIL': ({ email }) => email ?? '(none yet)',
    ROLE: ({ role }) => role,
    STATE: ({ joinedAt }) => (joinedAt === null ? 'invited' : 'joined'),
    'LAST SIGN-IN': ({ lastSignInAt }) => lastSignInAt ?? 'never',
  });

  ofCustomer(users.command('remove'), "remove a person's access immediately")
    .argument('<id>', 'the id of the person', idOption)
    .action(async (id: Id, options: OfCustomer) => {
      await withPorts((ports) => removeUser(ports, operatorFor(options.customer), id));
      print(options, { id, removed: true }, [`User ${id} removed.`]);
    });

  return users;
}

function printLink(options: { json?: boolean }, { user, link: url, isMailed }: Invitation): void {
  const who = `${user.email ?? 'the first owner'} (${user.role})`;
  const first = isMailed
    ? `This link was also sent to ${who} by mail. It works once, within seven days:`
    : `Send this link to ${who}. It works once, within seven days:`;
  print(options, { url, isMailed, user: userJson(user) }, [first, '', `  ${url}`, '']);
}

function roleOption(text: string): Role {
  if (!isRole(text)) throw new InvalidArgumentError(`It must be one of ${roles.join(', ')}.`);
  return text;
}

function userJson(user: User) {
  return {
    ...pick(user, 'id', 'customerId', 'email', 'role'),
    hasPassword: user.passwordHash !== null,
    ...pick(user, 'createdAt', 'joinedAt', 'lastSignInAt'),
  };
}
