import { expect, test } from 'vitest';
import { openIncident } from '../../../support/incident-room.ts';
import { readList } from '../../../support/table.ts';
import { openVerbs } from '../../../support/verbs.ts';

/** Lines of all kinds: reads, changes of each part of an incident, times, words that are refused or asked about. */
const lines = readList(`
  /incident status | /note add the pool & the <queue> are full --at 13:05 | /note 23:50 alerts fired
  /task add ask @bob about DNS | /task add call the vendor @carol | /task done 1 | /task list
  /role assign @bob commander | /role assign @bobby observer | /incident severity major
  /incident title Checkout answers 503 | /incident label add payments, eu | /incident update we roll back --next 30
  /incident sumary x | /incident timeline | /incident resolve it was DNS --now | /incident reopen it is back
`);

test('a line is answered as in a whole bot, and comes to the same incident and the same lines of its room', async () => {
  const [apart, whole] = [await openVerbs(), await openIncident()];
  const ids = (text: string) => text.replaceAll(/archives\/C\w+\/p\d+/g, 'archives/…');
  for (const line of lines) {
    const [answer, wanted] = [await apart.typeAndReadAll(line), await whole.type(line)];
    expect(`${line}\n${ids(answer)}`).toContain(ids(wanted));
  }
  expect(await apart.incident()).toEqual(await whole.incident());
  expect(await apart.bodies()).toEqual(await whole.bodies());
  const [told, read] = [await apart.publicLines(), whole.publicLines().join('\n')];
  for (const line of told) expect(read).toContain(line);
  expect(told).toHaveLength(read.split('\n').filter(line => !line.startsWith('>')).length);
});
