// A page of the newest photos: node server.mjs, then open http://127.0.0.1:8080
// The API key and the secret of the delivery key stay in this process; browsers get signed URLs of images, and nothing else.
import { createServer } from 'node:http';
import { PhotoService } from 'photo-service-sdk';
import { imageUrl, placeholder, srcSet } from 'photo-service-sdk/node';

const {
  PHOTO_SERVICE_URL: url,
  PHOTO_SERVICE_TOKEN: token,
  DELIVERY_KEY: keyId,
  DELIVERY_SECRET: secret,
} = process.env;
const { PORT = '8080' } = process.env;
const client = new PhotoService({ baseUrl: url, token });
const key = { publicUrl: url, keyId, secret };

const aspectRatio = 3 / 2;
const widths = [300, 400, 600, 800, 1200, 1600];
/** As the style below has it: four columns, two, or one. */
const sizes = '(min-width: 1000px) 25vw, (min-width: 600px) 50vw, 100vw';

function figure(photo, index) {
  const options = { fit: 'cover' };
  const src = imageUrl({ ...key, photoId: photo.id, options: { ...options, width: 600, height: 400 } });
  const srcset = srcSet({ ...key, photoId: photo.id, options, widths, aspectRatio, photoWidth: photo.width });
  // What is there until the photo is: 600 and 400 stand for its shape alone.
  const blurred = photo.thumbhash ? `url(${placeholder(photo.thumbhash)}) center / cover` : photo.dominantColor;
  return `<img src="${src}" srcset="${srcset}" sizes="${sizes}" width="600" height="400"
    alt="${escaped(photo.title ?? photo.filename)}" style="background: ${blurred ?? '#ddd'}"${index < 4 ? '' : ' loading="lazy"'}>`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

async function gallery() {
  const { data: photos } = await client.photos.list({ limit: 50 }).page();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Gallery</title>
<link rel="icon" href="data:,">
<style>
  body { margin: 0; font-family: sans-serif }
  h1 { grid-column: 1 / -1; margin: 16px; font-size: 20px }
  main { display: grid; grid-template-columns: 1fr }
  @media (min-width: 600px) { main { grid-template-columns: 1fr 1fr } }
  @media (min-width: 1000px) { main { grid-template-columns: repeat(4, 1fr) } }
  img { display: block; width: 100%; height: auto }
</style>
<main>
<h1>Gallery</h1>
${photos.map(figure).join('\n')}
</main>
</html>`;
}

const server = createServer(async (request, response) => {
  if (request.url !== '/') return response.writeHead(404).end();
  try {
    const page = await gallery();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  } catch (error) {
    console.error(error);
    response.writeHead(502).end('The photo service did not answer.');
  }
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Open http://127.0.0.1:${PORT}`));
