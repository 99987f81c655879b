// Takes webhooks, believes only those that are genuine, and handles each event once.
// WEBHOOK_SECRET=whsec_… PORT=8080 node webhook-receiver.mjs
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'photo-service-sdk';

const { WEBHOOK_SECRET, PORT = '8080' } = process.env;

// An event may come more than once, always with the same id. Something that outlives this process would remember more.
const handled = new Set();
// Order is not promised: what is older than what we know of a resource is dropped.
const versions = new Map();

createServer(async (request, response) => {
  try {
    const event = await verifyWebhook({ body: await buffer(request), headers: request.headers }, WEBHOOK_SECRET);
    // Answer first, work afterwards: the service waits for 15 seconds at most.
    response.writeHead(204).end();
    if (!handled.has(event.id)) handle(event);
    handled.add(event.id);
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
}).listen(Number(PORT), () => console.log(`listening on ${PORT}`));

function handle({ type, data }) {
  if (data.photo && data.version !== undefined) {
    if (data.version < (versions.get(data.photo.id) ?? 0)) return;
    versions.set(data.photo.id, data.version);
  }
  switch (type) {
    case 'photo.created':
      return console.log(`new photo ${data.photo.id}: ${data.photo.filename}`);
    case 'import.completed':
      return console.log(`import ${data.import.id} is done: ${data.import.counts.imported} imported`);
    default:
      // New types may come: what is not known is ignored.
      return console.log(type);
  }
}
