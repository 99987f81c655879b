import type { BlobStoreKind, SettingsReader } from '../../core/blobs/blob-store-kind.js';
import type { AzureSettings } from './azure-container.js';

const [CONNECTION, ACCOUNT, KEY] = [
  'AZURE_STORAGE_CONNECTION_STRING',
  'AZURE_STORAGE_ACCOUNT',
  'AZURE_STORAGE_KEY',
] as const;

/** Block blobs in a container of Azure Storage. Other programs have variables that begin with AZURE_, so it has no prefix of its own. */
export const azureBlobs: BlobStoreKind<AzureSettings> = {
  kind: 'azure',
  shownSettings: [],
  verifiesItself: true,
  advice: 'Check AZURE_*, the key of the account and its firewall; the container must exist.',
  urlForm: 'azure://CONTAINER',
  settings: (read) => ({
    ...readAccount(read),
    container: read.needed('AZURE_CONTAINER', 'BLOB_STORE is azure'),
    publicEndpoint: read.url('AZURE_PUBLIC_ENDPOINT', ['http:', 'https:']),
  }),
  fromUrl: (url, read) =>
    url.protocol === 'azure:' && url.host !== '' && /^\/?$/.test(url.pathname)
      ? { ...readAccount(read), container: url.host, publicEndpoint: null }
      : null,
  describe: ({ account, container }) => `the container ${container} of the account ${account}`,
  async open(settings, { maxFileBytes }) {
    // Loaded only when used: the SDK takes a while to load.
    const { openAzure } = await import('./open-azure.js');
    return openAzure(settings, maxFileBytes);
  },
};

/** The account and its key: from a connection string, as the portal of Azure shows it, or from two variables. */
function readAccount(read: SettingsReader): Pick<AzureSettings, 'endpoint' | 'account' | 'key'> {
  const own = read.url('AZURE_ENDPOINT', ['http:', 'https:']);
  const [text, name, secret] = [CONNECTION, ACCOUNT, KEY].map((variable) => read.text(variable, ''));
  if (text === '') {
    const [account, key] = [read.needed(ACCOUNT, `${CONNECTION} is not`), read.needed(KEY, `${CONNECTION} is not`)];
    return { account, key, endpoint: own ?? `https://${account}.blob.core.windows.net` };
  }
  if (name !== '' || secret !== '')
    read.problem(`${CONNECTION} names the account and its key: set it alone, or ${ACCOUNT} and ${KEY} without it.`);
  const part = new Map(
    String(text)
      .split(';')
      .map((each) => [each.split('=', 1)[0]?.trim(), each.slice(each.indexOf('=') + 1).trim()] as const),
  );
  const [account, key] = [part.get('AccountName') ?? '', part.get('AccountKey') ?? ''];
  // The text itself is a secret.
  if (account === '' || key === '')
    read.problem(
      `${CONNECTION} must contain AccountName and AccountKey, as the portal of Azure shows it under "Access keys".`,
    );
  const suffix = part.get('EndpointSuffix') ?? 'core.windows.net';
  const usual = `${part.get('DefaultEndpointsProtocol') ?? 'https'}://${account}.blob.${suffix}`;
  return { account, key, endpoint: own ?? part.get('BlobEndpoint') ?? usual };
}
