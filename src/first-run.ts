import { issueKey } from './core/access/issue-key.js';
import { createFirstCustomer } from './core/customers/create-customer.js';
import type { Uses } from './core/ports.js';
import type { Id } from './core/shared/ids.js';
import { inviteFirstOwner } from './core/users/invite-user.js';

/** What a first start made; both are seen only now. */
export interface FirstRun {
  readonly token: string;
  /** Lets one browser into the settings area, once. */
  readonly link: string;
}

/** On an empty database: makes the first customer, a key that may do everything, and a link for its first owner. Null when there was a customer. */
export async function firstRun(
  ports: Uses<'customers' | 'keys' | 'clock' | 'store' | 'publicUrl'>,
): Promise<FirstRun | null> {
  const customer = await createFirstCustomer(ports);
  if (customer === null) return null;
  const { token } = await issueKey(ports, {
    customerId: customer.id,
    name: 'First key',
    scopes: ['all'],
    ipList: [],
    readLimit: null,
    writeLimit: null,
    expiresAt: null,
  });
  const { url } = await inviteFirstOwner(ports, customer.id);
  return { token, link: url };
}

/** The only customer, while it has no key: a first start that was cut off before its key was shown leaves it so. */
export async function keylessCustomer({ customers, keys }: Uses<'customers' | 'keys'>): Promise<Id | null> {
  const [only, ...others] = await customers.list();
  if (only === undefined || others.length > 0) return null;
  return (await keys.list(only.id)).length === 0 ? only.id : null;
}

/**
 * What a person sees then: the key, and lines that work as pasted into a shell in the project's folder. The variables are those that
 * `phs`, the examples and the guides read.
 */
export function firstSteps(publicUrl: string, { token, link }: FirstRun): string {
  const auth = `-w "\\n" -H "Authorization: Bearer $PHOTO_SERVICE_TOKEN"`;
  return `
A first customer was made. Open this link to see it in your browser; it lets one person in, once, within a week:

  ${link}

This is its API key; it is shown only now:

  ${token}

Try it. Paste these lines into another terminal, in this folder:

  export PHOTO_SERVICE_URL=${publicUrl}
  export PHOTO_SERVICE_TOKEN=${token}

  # who am I?
  curl -s ${auth} $PHOTO_SERVICE_URL/api/v1/me

  # import three photos: open an import, send the files, finalize
  curl -s ${auth} -X POST $PHOTO_SERVICE_URL/api/v1/imports
  curl -s ${auth} -F file=@examples/photos/cyclamen.jpg -F file=@examples/photos/notocactus.jpg -F file=@examples/photos/rocks.jpg $PHOTO_SERVICE_URL/api/v1/imports/1/photos
  curl -s ${auth} -H "Prefer: wait=10" -X POST $PHOTO_SERVICE_URL/api/v1/imports/1/finalize

  # list them, and download one: the same bytes
  curl -s ${auth} "$PHOTO_SERVICE_URL/api/v1/photos?sort=id"
  curl -s ${auth} -o cyclamen-again.jpg $PHOTO_SERVICE_URL/api/v1/photos/1/download
  cmp examples/photos/cyclamen.jpg cyclamen-again.jpg && echo identical

  # a whole folder: npx phs import ~/Pictures

Every endpoint: ${publicUrl}/docs. More people, keys and customers: npx phs user invite --help, npx phs key create --help, npx phs customer create --help
`;
}
