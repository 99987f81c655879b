import { HttpWebhookSender } from '../../src/adapters/webhooks/http-webhook-sender.js';
import { MemoryWebhookSender } from '../../testing/memory/memory-webhooks.js';
import { Receiver } from '../support/receiver.js';
import { webhookSenderContract } from './webhook-sender.contract.js';

webhookSenderContract('memory', async () => {
  const sender = new MemoryWebhookSender();
  return {
    sender,
    url: 'https://example.com/hooks',
    answers: (status, _, body) => {
      sender.answerBody = body ?? null;
      sender.answer = () => {
        if (status === null) throw new Error('cut');
        return status;
      };
    },
    received: () => sender.sent.map(({ headers, body }) => ({ headers, body })),
    close: async () => {},
  };
});

webhookSenderContract('HTTP', async () => {
  const receiver = await Receiver.start();
  return {
    sender: new HttpWebhookSender({ allowPrivate: true, readPrivate: true }),
    url: receiver.url,
    answers: (status, headers = {}, body) => {
      receiver.answer = (response) => {
        if (status === null) response.destroy();
        else response.writeHead(status, headers).end(body);
      };
    },
    received: () =>
      receiver.received.map(({ headers, body }) => ({ headers: headers as Record<string, string>, body })),
    close: () => receiver.close(),
  };
});
