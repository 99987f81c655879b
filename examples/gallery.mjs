// Writes a page that shows the newest photos: node gallery.mjs > gallery.html
// Its addresses are signed for 12 to 24 hours and need no key, so the page can be given to anyone for that long; make it anew once a day.
// A key with an IP list has no such addresses.
import { PhotoService } from 'photo-service-sdk';

const { PHOTO_SERVICE_URL: baseUrl, PHOTO_SERVICE_TOKEN: token } = process.env;
const client = new PhotoService({ baseUrl, token });
const { data: photos } = await client.photos.list({ include: ['urls'], limit: 50 }).page();

const figures = photos.map(({ urls, width, height, title, filename, dominantColor }) => {
  const name = escaped(title ?? filename);
  // The colour stands there until the photo does, and the page does not move when it comes.
  return `  <a href="${urls.large}"><img src="${urls.thumb}" srcset="${urls.thumb} 320w, ${urls.small} 640w, ${urls.medium} 1280w"
    sizes="320px" width="${width}" height="${height}" alt="${name}" loading="lazy" style="background: ${dominantColor ?? '#ddd'}"></a>`;
});

console.log(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Photos</title>
<style>
  body { display: grid; grid-template-columns: repeat(auto-fill, minmax(200px, 1fr)); gap: 8px; margin: 8px }
  img { width: 100%; height: auto }
</style>
${figures.join('\n')}
</html>`);

function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
