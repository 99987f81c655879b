// Prints the address of an image: node sign.mjs PHOTO OPTIONS [EXPIRES]
import { createHmac } from 'node:crypto';

function imageUrl(photoId, options, expires) {
  const { PHOTO_SERVICE_URL: url, DELIVERY_KEY: key, DELIVERY_SECRET: secret } = process.env;
  const signed = `/img/${key}/${photoId}/${options}${expires ? `?exp=${expires}` : ''}`;
  const signature = createHmac('sha256', secret).update(signed).digest('base64url');
  return `${url}${signed}${expires ? '&' : '?'}sig=${signature}`;
}

console.log(imageUrl(...process.argv.slice(2)));
