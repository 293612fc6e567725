import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster webhooks`: endpoints that receive events of incidents, in the database. */
export function register(program: Command, { terminal }: Host): void {
  const webhooks = program
    .command('webhooks')
    .description('manage the addresses that receive events of incidents, also while Muster runs');
  addExample(webhooks, 'muster webhooks list');

  const add = webhooks
    .command('add <url>')
    .description('send events to an address from now on')
    .option('--query <query>', 'only of incidents that match, such as "severity:critical isdrill:false"')
    .option('--include-private', 'also of private incidents, which only their people see in Muster')
    .option('--secret <secret>', 'signs the events; without it, Muster makes a secret and prints it');
  addDatabase(add).action(
    async (url: string, options: { query?: string; secret?: string; includePrivate?: true }, command: Command) => {
      const { addWebhookCommand } = await import('./webhooks-actions.ts');
      await addWebhookCommand(terminal, url, { ...options, database: readDatabase(command) });
    },
  );
  addExample(add, 'muster webhooks add https://example.com/hook --query "severity:critical"');

  const list = webhooks.command('list').description('list the addresses, with how many events wait for each');
  addDatabase(list).action(async (_options, command: Command) => {
    const { listWebhooksCommand } = await import('./webhooks-actions.ts');
    await listWebhooksCommand(terminal, { database: readDatabase(command) });
  });
  addExample(list, 'muster webhooks list');

  const remove = webhooks.command('remove <id>').description('send no further events to an address');
  addDatabase(remove).action(async (id: string, _options, command: Command) => {
    const { removeWebhookCommand } = await import('./webhooks-actions.ts');
    await removeWebhookCommand(terminal, id, { database: readDatabase(command) });
  });
  addExample(remove, 'muster webhooks remove 2');

  const deliveries = webhooks
    .command('deliveries')
    .description('show the deliveries and their outcomes, newest first')
    .option('--endpoint <id>', 'only to one address, by its number')
    .option('--status <status>', 'only todo, success or failed')
    .option('--limit <count>', 'how many', '50');
  addDatabase(deliveries).action(
    async (options: { endpoint?: string; status?: string; limit: string }, command: Command) => {
      const { listDeliveriesCommand } = await import('./webhooks-actions.ts');
      await listDeliveriesCommand(terminal, { ...options, database: readDatabase(command) });
    },
  );
  addExample(deliveries, 'muster webhooks deliveries --status failed');

  const retry = webhooks
    .command('retry [delivery]')
    .description('send a delivery again, or all that were given up; a running Muster does it within seconds')
    .option('--failed', 'every delivery that was given up, and at once what waits')
    .option('--endpoint <id>', 'of these only those to one address, by its number');
  addDatabase(retry).action(
    async (delivery: string | undefined, options: { failed?: true; endpoint?: string }, command: Command) => {
      const { retryDeliveriesCommand } = await import('./webhooks-actions.ts');
      await retryDeliveriesCommand(terminal, delivery, { ...options, database: readDatabase(command) });
    },
  );
  addExample(retry, 'muster webhooks retry --failed');

  const discard = webhooks
    .command('discard <delivery>')
    .description('give a waiting delivery up, so that the later ones of its address are sent');
  addDatabase(discard).action(async (delivery: string, _options, command: Command) => {
    const { discardDeliveryCommand } = await import('./webhooks-actions.ts');
    await discardDeliveryCommand(terminal, delivery, { database: readDatabase(command) });
  });
  addExample(discard, 'muster webhooks discard 12');
}
