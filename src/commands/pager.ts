import type { Command } from 'commander';
import { openPager } from '../bot/open-paging.ts';
import { openPoster } from '../client/post.ts';
import { readPagerConfig } from '../config/config.ts';
import type { PagerSetting } from '../config/pager-settings.ts';
import { RpcError } from '../contract/errors.ts';
import { addExample, type Host } from './command.ts';

/** `muster pager`: tries whether pages arrive. The pagers come from the environment, as those of `muster start`. */
export function register(program: Command, host: Host): void {
  const group = program.command('pager').description('try whether pages reach a pager of the team');
  addExample(group, 'muster pager test sre');

  const test = group
    .command('test')
    .description('send a test page to a pager and say whether it took it; it wakes people, and is closed at once')
    .argument('[name]', 'a pager that PAGERS names; needless where there is one');
  test.action((name: string | undefined) => sendTestPage(host, name));
  test.addHelpText('after', '\nIts setting is that of muster start: PAGERS.');
  addExample(test, 'muster pager test', 'muster pager test sre');
}

/** Sends a page to a pager and closes it, and prints what happened. Rejects with a sentence when there is no such pager, or it refuses the page. */
async function sendTestPage({ environment, deadlines, terminal }: Host, asked: string | undefined): Promise<void> {
  const config = readPagerConfig(environment);
  const setting = findPager(config.pagers, asked);
  const { name } = setting;
  await using post = openPoster();
  const clock = () => new Date();
  const pager = openPager(setting, { ...config, post, deadlines, clock });
  const { signal } = new AbortController();
  const now = clock();
  const key = `muster-pager-test-${now.getTime()}`;
  const page = {
    ...{ key, title: 'Test page from muster pager test', by: '', incidentID: '', links: [], askedAt: now },
    why: 'nothing is wrong, somebody tries whether pages arrive',
  };
  await pager.send(page, signal).catch(error => refuse(`The page did not reach ${name}`, error));
  terminal.print(`The pager ${name} took the page (${key}).\n`);
  await pager.close(key, signal).catch(error => refuse(`The page is still open in ${name}: close it there`, error));
  terminal.note('It was told at once that the page is over. Look there whether it came, and whom it woke.\n');
}

function findPager(pagers: readonly PagerSetting[], name: string | undefined): PagerSetting {
  const names = pagers.map(each => each.name).join(', ');
  if (pagers.length === 0) throw new Error('No pager is set. docs/pager.md says how PAGERS names one.');
  if (name === undefined && pagers.length > 1) throw new Error(`PAGERS names several: ${names}. Say which one.`);
  const found = name === undefined ? pagers[0] : pagers.find(each => each.name === name);
  if (!found) throw new Error(`PAGERS names no pager ${name}. It names ${names}.`);
  return found;
}

function refuse(what: string, error: unknown): never {
  if (!(error instanceof RpcError)) throw error;
  throw new Error(`${what}. The reason: ${error.message.replace(/\.$/, '')}.`, { cause: error });
}
