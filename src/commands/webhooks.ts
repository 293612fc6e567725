import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample, addSettings, readOptions } from './options.ts';

const database = ['DATABASE_URL'] as const;

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
    .option('--secret <secret>', 'signs the events; without it, Muster makes a secret and prints it');
  addSettings(add, database).action(
    async (url: string, { query, secret }: { query?: string; secret?: string }, command: Command) => {
      const { addWebhookCommand } = await import('./webhooks-actions.ts');
      const { DATABASE_URL } = readOptions(command, database);
      await addWebhookCommand(terminal, url, { query, secret, database: DATABASE_URL });
    },
  );
  addExample(add, 'muster webhooks add https://example.com/hook --query "severity:critical"');

  const list = webhooks.command('list').description('list the addresses, with how many events wait for each');
  addSettings(list, database).action(async (_options, command: Command) => {
    const { listWebhooksCommand } = await import('./webhooks-actions.ts');
    await listWebhooksCommand(terminal, { database: readOptions(command, database).DATABASE_URL });
  });
  addExample(list, 'muster webhooks list');

  const remove = webhooks.command('remove <id>').description('send no further events to an address');
  addSettings(remove, database).action(async (id: string, _options, command: Command) => {
    const { removeWebhookCommand } = await import('./webhooks-actions.ts');
    await removeWebhookCommand(terminal, id, { database: readOptions(command, database).DATABASE_URL });
  });
  addExample(remove, 'muster webhooks remove 2');

  const deliveries = webhooks
    .command('deliveries')
    .description('show the deliveries and their outcomes, newest first')
    .option('--endpoint <id>', 'only to one address, by its number')
    .option('--status <status>', 'only todo, success or failed')
    .option('--limit <count>', 'how many', '50');
  addSettings(deliveries, database).action(
    async (options: { endpoint?: string; status?: string; limit: string }, command: Command) => {
      const { listDeliveriesCommand } = await import('./webhooks-actions.ts');
      await listDeliveriesCommand(terminal, { ...options, database: readOptions(command, database).DATABASE_URL });
    },
  );
  addExample(deliveries, 'muster webhooks deliveries --status failed');
}
