import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';

/** `muster pager`: tries whether pages arrive. The pagers come from the environment, as those of `muster start`. */
export function register(program: Command, { environment, deadlines, terminal }: Host): void {
  const group = program.command('pager').description('try whether pages reach a pager of the team');
  addExample(group, 'muster pager test sre');

  const test = group
    .command('test')
    .description('send a test page to a pager and say whether it took it; it wakes people, and is closed at once')
    .argument('[name]', 'a pager that PAGERS names; needless where there is one');
  test.action(async (name: string | undefined) => {
    const { readPagerConfig } = await import('../config/config.ts');
    const { sendTestPage } = await import('./pager-actions.ts');
    await sendTestPage(terminal, { ...readPagerConfig(environment), name, deadlines, clock: () => new Date() });
  });
  test.addHelpText('after', '\nIts settings are those of muster start: PAGERS, and PAGERDUTY_URL where it is set.');
  addExample(test, 'muster pager test', 'muster pager test sre');
}
