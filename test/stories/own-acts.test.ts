import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { readList } from '../support/table.ts';

/** What alice does herself, each a line that everybody reads. */
const acts = readList(`
  /task add Call the vendor | /note the pool was shrunk | /incident title Checkout is down
  /incident label checkout | /incident drill on | /incident severity major | /incident update @alice rolls back
  /incident started 20m ago | /role assign me commander | /role assign @bob investigator
  /incident resolve --now it was the pool | /incident reopen it is back | /task list --post
`);

test('nobody is mentioned for their own act, by any message that others read', async () => {
  const { slack, alice, bob, general, home, type, wait, place } = await openIncident();
  for (const line of acts) {
    wait(2);
    await type(line);
  }
  const posted = [home, general].flatMap(({ id }) =>
    slack.channel(id).messages.filter(each => each.botId === slack.botId && each.ephemeralTo === undefined),
  );
  const mentioning = posted.filter(each => JSON.stringify([each.text, each.blocks]).includes(`<@${alice.id}>`));
  // The card of a commander names her; it was posted before she was one.
  expect(mentioning.filter(each => each !== posted[0]).map(each => each.text)).toEqual([]);
  expect(JSON.stringify(posted)).toContain(`<@${bob.id}>`);
  expect(place.reads(bob, home.id).join('\n')).toContain('@alice added task 1');
});

test('the name of the person is a word, whatever they call themselves', async () => {
  const { slack, type, home, place } = await openIncident();
  const mallory = slack.addPerson({ name: '<!channel> *mal*' });
  mallory.join(home.id);
  await type('/task add Call the vendor', mallory);
  const line = home.messages.find(each => each.text.includes('added task'));
  expect(JSON.stringify(line?.blocks)).not.toContain('<!channel>');
  expect(place.reads(mallory, home.id).join('\n')).toContain('@<!channel> *mal* added task 1');
});
