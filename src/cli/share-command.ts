import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import { operatorFor } from '../core/customers/customer.js';
import type { Ports } from '../core/ports.js';
import { invalid } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import { foldKey } from '../core/shared/text.js';
import {
  createShare,
  editShare,
  listShares,
  readShare,
  revokeShare,
  type ShareWithToken,
} from '../core/shares/own-shares.js';
import { idOption, instantOption, listOption, wholeOption } from './options.js';
import { addList, type OfCustomer, ofCustomer, pick } from './resource-commands.js';
import { withPorts } from './with-ports.js';

const UPLOAD_BYTES = 2_000_000_000;

export function shareCommand(): Command {
  const shares = new Command('share').description('manage the links under which a customer shares photos');

  ofCustomer(shares.command('create'), 'share the photos of a tag, or chosen ones')
    .requiredOption('--title <title>', 'what visitors read above the photos')
    .option('--tag <name>', 'the photos that have this tag at the time of a visit')
    .option('--photos <ids>', 'these photos, for example 7,9', listOption)
    .option('--download', 'visitors can download originals')
    .option('--upload-files <n>', 'visitors can upload so many files in all (default: none)', wholeOption)
    .option('--upload-bytes <n>', `and so many bytes in all (default: ${UPLOAD_BYTES})`, wholeOption)
    .option('--password-file <file>', 'a file whose first line visitors have to enter')
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z (default: never)', instantOption)
    .action(async ({ customer, title, download = false, ...options }: CreateOptions) => {
      const password = options.passwordFile === undefined ? null : await firstLine(options.passwordFile);
      const { uploadFiles = 0, uploadBytes = UPLOAD_BYTES, expiresAt = null } = options;
      const share = await withPorts(async (ports) => {
        const values = {
          uploadFilesLimit: uploadFiles,
          uploadBytesLimit: uploadFiles === 0 ? 0 : uploadBytes,
          title,
          mayDownload: download,
          password,
          expiresAt,
          tagId: options.tag === undefined ? undefined : await tagNamed(ports, customer, options.tag),
          photoIds: options.photos?.map(idOption),
        };
        return shareJson(ports, await createShare(ports, operatorFor(customer), values));
      });
      print(options, share, [`Share ${share.id} "${share.title}" of customer ${customer}`, '', `  ${share.url}`, '']);
    });

  const read = async (ports: Ports, customer: Id) =>
    (await listShares(ports, customer)).map((share) => shareJson(ports, share));
  addList(shares, 'list the shares of a customer, with their links', read, ['shares', (share) => share], {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    VISITS: ({ visits }) => visits,
    EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
    LINK: ({ url }) => url ?? 'needs its SECRET_KEY',
  });

  ofCustomer(shares.command('edit'), 'change a share; options that are not given stay as they are')
    .argument('<id>', 'the id of the share', idOption)
    .option('--title <title>', 'what visitors read above the photos')
    .option('--download', 'visitors can download originals')
    .option('--no-download', 'they cannot')
    .option('--upload-files <n>', 'visitors can upload so many files in all; 0: none', wholeOption)
    .option('--upload-bytes <n>', 'and so many bytes in all', wholeOption)
    .option('--password-file <file>', 'a file whose first line visitors have to enter')
    .option('--no-password', 'the link is enough')
    .option('--expires-at <time>', 'for example 2027-01-31T00:00:00Z', instantOption)
    .option('--no-expires-at', 'it does not expire')
    .action(async (id: Id, { customer, title, download, uploadFiles, expiresAt, ...options }: EditOptions) => {
      const { uploadBytes } = options;
      const password = options.passwordFile === undefined ? undefined : await firstLine(options.passwordFile);
      const share = await withPorts(async (ports) => {
        const before = await readShare(ports, customer, id);
        const bytes = uploadBytes ?? (before.share.uploadBytesLimit > 0 ? undefined : UPLOAD_BYTES);
        const values = {
          ...(title !== undefined && { title }),
          ...(download !== undefined && { mayDownload: download }),
          ...(uploadFiles !== undefined && { uploadFilesLimit: uploadFiles }),
          // Files alone could not be uploaded.
          ...((uploadBytes !== undefined || (uploadFiles ?? 0) > 0) &&
            bytes !== undefined && { uploadBytesLimit: bytes }),
          ...(options.password === false ? { password: null } : password !== undefined && { password }),
          ...(expiresAt !== undefined && { expiresAt: expiresAt === false ? null : expiresAt }),
        };
        const edited = await editShare(ports, operatorFor(customer), id, values);
        return shareJson(ports, { ...before, share: edited });
      });
      print(options, share, [`Share ${id} "${share.title}" changed.`]);
    });

  ofCustomer(shares.command('revoke'), 'revoke a share; its link stops working immediately')
    .argument('<id>', 'the id of the share', idOption)
    .action(async (id: Id, options: OfCustomer) => {
      const { title } = await withPorts((ports) => revokeShare(ports, operatorFor(options.customer), id));
      print(options, { id, revoked: true }, [`Share ${id} "${title}" revoked.`]);
    });

  return shares;
}

interface CreateOptions extends OfCustomer {
  readonly title: string;
  readonly tag?: string;
  readonly photos?: readonly string[];
  readonly download?: boolean;
  readonly uploadFiles?: number;
  readonly uploadBytes?: number;
  readonly passwordFile?: string;
  readonly expiresAt?: Date;
}

interface EditOptions extends Omit<CreateOptions, 'title' | 'tag' | 'photos' | 'expiresAt'> {
  readonly title?: string;
  /** False: `--no-…`. */
  readonly password?: boolean;
  readonly expiresAt?: Date | false;
}

/** Errors: `invalid_request`. */
async function tagNamed({ store }: Ports, customerId: Id, name: string): Promise<Id> {
  const [tag] = await store.query(customerId, ({ tags }) => tags.findByNameKeys([foldKey(name)]));
  if (tag === undefined) throw invalid({ field: 'tag', code: 'unknown_tag', message: `There is no tag "${name}".` });
  return tag.id;
}

async function firstLine(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split(/\r?\n/, 1)[0] ?? '';
}

function shareJson({ addresses }: Ports, { share, token }: ShareWithToken) {
  return {
    ...pick(share, 'id', 'customerId', 'title', 'tagId', 'photoIds', 'mayDownload'),
    ...pick(share, 'uploadFilesLimit', 'uploadBytesLimit', 'uploadedFiles', 'uploadedBytes'),
    hasPassword: share.passwordHash !== null,
    ...pick(share, 'expiresAt', 'visits', 'lastVisitedAt', 'createdAt'),
    url: token === null ? null : addresses.share(token),
  };
}
