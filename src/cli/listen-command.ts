import { Command } from 'commander';
import { plain, print } from 'photo-service-cli/print';
import { reasonOf } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import type { Delivery, DeliveryBodies } from '../core/webhooks/delivery.js';
import type { Listening } from './listening.js';
import { idOption, listOption } from './options.js';
import { withPorts } from './with-ports.js';

interface Options {
  readonly customer: Id;
  readonly forwardTo: string;
  readonly events?: readonly string[];
  readonly secret?: string;
  readonly json?: boolean;
}

export function listenCommand(): Command {
  return new Command('listen')
    .description('send the events of a customer to a program on this machine, until Ctrl-C')
    .requiredOption('--customer <id>', 'the id of the customer', idOption)
    .requiredOption('--forward-to <url>', 'where the program receives webhooks, such as http://localhost:8080/webhooks')
    .option('--events <list>', 'for example photo.created,import.completed (default: all)', listOption)
    .option('--secret <secret>', 'the secret that signs, whsec_… (default: a new one)')
    .option('--json', 'print one JSON document at the end')
    .action(async (options: Options) => {
      // Loaded on demand: the other commands need nothing of the API's views.
      const { startListener } = await import('./listening.js');
      await withPorts(async (ports) => {
        const counts = { delivered: 0, failed: 0 };
        const say = options.json ? console.error : console.log;
        const listening = await startListener(ports, options.customer, {
          url: options.forwardTo,
          events: options.events,
          secret: options.secret,
          onAttempt: (delivery) => {
            counts[delivery.status === 'delivered' ? 'delivered' : 'failed'] += 1;
            // What a program answers may hold anything.
            say(plain(attemptText(delivery)));
          },
          onError: (error) => console.error(`phs: ${reasonOf(error)}`),
        });
        say(`Events of customer ${options.customer} are sent to ${options.forwardTo}, signed with ${listening.secret}`);
        await ended(listening);
        await listening.stop();
        print(options, counts, [`${counts.delivered} delivered, ${counts.failed} failed`]);
      });
    });
}

function attemptText({
  type,
  eventId,
  responseStatus,
  responseBody,
  reason,
  status,
  dueAt,
}: Delivery & DeliveryBodies) {
  const answer = responseStatus === null ? reason : `HTTP ${responseStatus}`;
  const firstLine = status === 'delivered' || responseBody === null ? '' : ` ${responseBody.split('\n', 1)[0]}`;
  const again = status === 'pending' && dueAt !== null ? `; again at ${dueAt.toISOString()}` : '';
  return `${type} ${eventId}: ${answer}${firstLine}${again}`;
}

/** Resolves at Ctrl-C, which a terminal that passes on single keys passes on as one. */
async function ended(listening: Listening): Promise<void> {
  const { stdin } = process;
  const failed = (error: unknown) => console.error(`phs: ${reasonOf(error)}`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    const keys: Readonly<Record<string, () => void>> = {
      r: () => void listening.resend().catch(failed),
      t: () => void listening.test().catch(failed),
      '\u0003': resolve,
    };
    if (stdin.isTTY) {
      stdin.setRawMode(true);
      console.error('Press r to send the last event again, t to send a test event, Ctrl-C to end.');
    }
    stdin.on('data', (bytes) => keys[String(bytes)]?.());
  });
  if (stdin.isTTY) stdin.setRawMode(false);
  stdin.pause();
}
