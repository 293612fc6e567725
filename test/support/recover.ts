import type { Bot } from '../../src/bot/bot.ts';

/**
 * Grafana or Slack works again, and every intent that waited is tried. An attempt that goes on at that moment would fail after the others
 * are woken, and wait longer than they do: so it ends first.
 */
export async function recover(
  { muster }: { readonly muster: { readonly bot: Pick<Bot, 'journal'> } },
  ill: { heal(): void },
): Promise<void> {
  const { journal } = muster.bot;
  await journal.idle();
  ill.heal();
  await journal.wake();
}
