import { expect, test } from 'vitest';
import { renderView } from '../../src/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';

/** Lines that end in words which the verb does not need, or that need none. */
const lines = [
  ...['/incident reopen', '/incident resolve --now', '/incident reopen', '/incident update', '/incident status'],
  ...['/incident list', '/incident severity critical', '/incident severity', '/incident drill on', '/incident drill off'],
  ...['/incident drill', '/incident title', '/incident label', '/incident unlabel', '/incident started 12:05'],
  ...['/incident ended 12:10', '/incident archive now', '/incident archive', '/incident receipts quiet'],
  ...['/incident receipts', '/incident link', '/incident unlink', '/incident record', '/incident declare'],
  ...['/incident declare --now', '/task add', '/task list', '/task done 1', '/task assign 1 me', '/task unassign 1'],
  ...['/task edit 1', '/task reopen 1', '/task delete 1', '/note add', '/note list', '/note timeline', '/role assign me commander'],
  ...['/role unassign me commander', '/role handover <@bob> commander', '/role list', '/role create', '/role edit'],
  ...['/role archive', '/role unarchive', '/role delete', '/dash link', '/dash show', '/dash home', '/dash save'],
  ...['/dash recent', '/dash tags', '/dash delete', '/dash restore', '/dash purge', '/muster doctor', '/muster whoami'],
];

test('no verb drops a word that a person typed', async () => {
  const { place, slack, alice, bob, home, type, bodies, incident } = await openIncident();
  await type('/task add first');
  const dropped: string[] = [];
  for (const [index, line] of lines.entries()) {
    const word = `zebra${index}`;
    const before = place.reads(alice, home.id).length;
    await type(`${line.replace('<@bob>', `<@${bob.id}|bob>`)} it is back ${word}`);
    const views = alice.view ? renderView(slack, alice.view) : '';
    const all = [place.reads(alice, home.id).slice(before).join('\n'), views, (await bodies()).join('\n')];
    if (![...all, JSON.stringify(await incident())].some(text => text.includes(word))) dropped.push(`${line}\n   ${all.join('|').slice(0,300)}`);
  }
  expect(dropped).toEqual([]);
});
