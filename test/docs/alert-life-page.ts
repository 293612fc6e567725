import { type AlertArrival, type AlertCell, alertArrivals, alertLife, alertStates } from '../../src/bot/alerts/life.ts';
import { toMarkdownTable, toPage } from './markdown.ts';

const inChannel = { posted: 'a new message', edited: 'its message, edited', ended: 'its message becomes one line' };

const inRoom: Readonly<Record<Extract<AlertCell['room'], string>, string>> = {
  joined: 'its name',
  crowded: 'its name, and that the next ones are counted',
  grew: 'the names of the new ones',
  others: 'the names of the new ones',
  graver: 'the severity, and **Raise severity**',
  still: 'a line, every 30 minutes at most',
  burns: 'that it fires on, and **Reopen**',
  again: 'that it fires again; **Reopen** once the incident is over',
  ended: 'the end; **Resolve** while the incident goes on',
};

const acts = {
  declare: 'declares (`ALERTS_DECLARE`)',
  raise: 'raises the severity (`ALERTS_DECLARE`)',
  reopen: 'reopens (`ALERTS_END=auto`)',
  resolve: 'resolves (`ALERTS_END=auto`)',
};

function say<T extends string>(part: T | { readonly silent: string }, words: Readonly<Record<T, string>>): string {
  return typeof part === 'string' ? words[part] : `nothing: ${part.silent}`;
}

/** docs/alert-life.md. */
export function writeAlertLife(): string {
  const tables = Object.entries(alertLife).map(([state, cells]) => {
    const same = Map.groupBy(Object.entries(cells), ([, { channel, room, act }]) =>
      JSON.stringify([say(channel, inChannel), say(room, inRoom), say(act, acts)]),
    );
    const rows = [...same].map(([said, all]) => [
      all.map(([arrival]) => alertArrivals[arrival as AlertArrival]).join('. '),
      ...(JSON.parse(said) as string[]),
    ]);
    const head = ['the notice', 'the channel of alerts reads', 'the room reads', 'a setting may want'];
    return `## ${alertStates[state as keyof typeof alertStates]}\n\n${toMarkdownTable(head, rows)}`;
  });
  return toPage('`src/bot/alerts/life.ts`', [
    '# The life of an alert',
    [
      'A tool tells of a group of alerts many times. This page says, for each state of the group and each notice about it, who reads of it.',
      '[alerts.md](alerts.md) says how tools send alerts. A declaration and a raised severity call the people of `CALL`.',
    ].join(' '),
    ...tables,
  ]);
}
