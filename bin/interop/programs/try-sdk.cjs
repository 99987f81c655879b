// Run by each runtime, with the SDK as it gives it: what differs between runtimes. Returns what it came to.

/** @param sdk `photo-service-sdk` @param node `photo-service-sdk/node`; null where there are no files and threads */
exports.trySdk = async (sdk, node, { url, token, photos, folder }) => {
  const client = new sdk.PhotoService({ baseUrl: url, token });
  const outcome = {};
  if (node !== null) {
    const options = { stateFile: `${folder}/state`, duplicatePolicy: 'allow' };
    const { imported, failed } = await node.importFolder(client, photos, options);
    Object.assign(outcome, { imported, failed: failed.length });
  } else {
    const source = sdk.blobSource({ blob: new File(['no picture'], 'notes.jpg') });
    const { imported, failed } = await sdk.runImport(client, [source]);
    Object.assign(outcome, { imported, failed: failed.map(({ code }) => code) });
  }
  const [photo] = await client.photos.list({ limit: 1 }).toArray();
  const original = await (await client.photos.download(photo.id)).bytes();
  if (node !== null) await node.downloadFile(client, photo.id, `${folder}/${photo.filename}`);
  const error = await client.photos.get(1_000_000).catch((reason) => reason);
  const key = { publicUrl: url, keyId: 'dk_0123456789abcdef', secret: 'phs_sign_secret', photoId: 1 };
  const forged = await sdk.verifyWebhook({ body: '{}', headers: {} }, 'whsec_c2VjcmV0').catch((reason) => reason);
  return {
    ...outcome,
    isWhole: original.length === photo.sizeBytes,
    error: error instanceof sdk.ApiError ? error.code : String(error),
    image: await sdk.imageUrl({ ...key, options: { width: 32 } }),
    placeholder: sdk.placeholder(photo.thumbhash).slice(0, 15),
    forged: forged instanceof sdk.WebhookVerificationError,
  };
};
