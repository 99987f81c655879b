// Prints the address of an image: node sign.ts PHOTO OPTIONS [EXPIRES] (Node 22.18 or newer; older ones need a compiler)
import { createHmac } from 'node:crypto';

function imageUrl(photoId: number, options: string, expires?: number): string {
  const { PHOTO_SERVICE_URL: url, DELIVERY_KEY: key, DELIVERY_SECRET: secret = '' } = process.env;
  const signed = `/img/${key}/${photoId}/${options}${expires ? `?exp=${expires}` : ''}`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64url');
  return `${url}${signed}${expires ? '&' : '?'}sig=${signature}`;
}

const [photoId, options = '', expires] = process.argv.slice(2);
console.log(imageUrl(Number(photoId), options, expires === undefined ? undefined : Number(expires)));
