import { describe, expect, test } from 'vitest';
import { isMistake, mistakeLabel } from '../../src/contract/mistakes.ts';
import { openElsewhere } from '../support/elsewhere.ts';
import { lastMessage, openIncident } from '../support/incident-room.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** An incident that is announced in #town, where carol reads and is in no room. */
async function openAnnounced() {
  const slack = await openInstalledSlack();
  const town = slack.addChannel({ name: 'town', botIsMember: true });
  const at = await openIncident({ slack, settings: { ANNOUNCE_CHANNEL: town.id }, clock: () => new Date() });
  at.carol.join(town.id);
  return { ...at, town };
}

describe('each place says that an incident was declared by mistake', () => {
  test('card, topic, announcement, its thread, the place of the declaration, status, list and record', async () => {
    const {
      type,
      place,
      slack,
      alice,
      bob,
      carol,
      general,
      home,
      town,
      card,
      press,
      last,
      incident,
      next,
      publicLines,
    } = await openAnnounced();
    await type('/incident cancel the probe was wrong');

    expect(isMistake(await incident())).toBe(true);
    expect(publicLines()).toEqual([
      ':leftwards_arrow_with_hook: Declared by mistake – @alice · /incident reopen opens it again\n> the probe was wrong',
    ]);
    const [shown] = place.reads(alice, home.id);
    expect(shown).toContain('Declared by mistake');
    for (const word of ['Resolved', 'RESOLVED', 'after', 'DRILL', mistakeLabel]) expect(shown).not.toContain(word);
    expect(slack.channel(home.name).topic).toBe('Declared by mistake · Checkout answers 500');
    const [announcement, news] = place.reads(carol, town.id);
    expect(announcement).toContain('Declared by mistake');
    expect(announcement).not.toMatch(/resolved|after/i);
    expect(news).toBe(
      ':leftwards_arrow_with_hook: #1 Checkout answers 500 was declared by mistake: the probe was wrong',
    );
    const origin = place.reads(carol, general.id).at(-1);
    expect(origin).toBe(':leftwards_arrow_with_hook: Declared by mistake: Checkout answers 500, says @alice.');
    expect(next()).toEqual(['What comes next: nothing is left to do here.\n[Archive now]']);

    for (const line of ['/incident status', '/incident list Checkout', 'posted']) {
      if (line === 'posted') await press(last(), 'Post to channel');
      const read = line === 'posted' ? place.lastRead(bob, home.id) : await type(line);
      expect(read, line).toMatch(/declared by mistake/i);
      const own = read.split('Latest on the timeline')[0]?.replace('Recently resolved (1)', '');
      expect(own, line).not.toMatch(/resolved|after|drill/i);
    }
    await type('/incident record');
    const dm = slack.channels.find(each => each.isIm && each.members.has(alice.id));
    const file = place.messages(alice, dm?.id ?? '').findLast(each => each.files.length > 0)?.files[0] ?? '';
    expect(slack.file(file)?.content).toContain('- Status: declared by mistake\n');
    expect(slack.file(file)?.content).not.toMatch(/Took:|\(a drill\)|Labels:/);

    await press(card(), 'Reopen');
    expect(await incident()).toMatchObject({ status: 'active', isDrill: false, labels: [] });
    expect(place.reads(alice, home.id)[0]).toContain('Active since');
    expect(place.reads(carol, general.id).at(-1)).toContain('[Join]');
    expect(publicLines().at(-1)).toBe('🔁 Reopened – @alice');
  });

  test('an undone declaration is one too; the channel where it was declared offers no way in any more', async () => {
    const { type, place, alice, carol, general, incident } = await openIncident();
    await type('/incident declare Wrong window --now', alice, general);
    const declared = lastMessage(place, alice, general);
    expect(place.reads(carol, general.id).at(-1)).toContain('[Join]');
    await alice.press(declared, 'Undo');
    await place.quiet();
    expect(isMistake(await incident('2'))).toBe(true);
    expect(place.reads(carol, general.id).at(-1)).toBe(
      ':leftwards_arrow_with_hook: Declared by mistake: Wrong window, says @alice.',
    );
  });
});

test('with a Grafana, and when another process says it', async () => {
  const { elsewhere, look, lines, card, announcement, room, place, alice, general } = await openElsewhere();
  await look();
  const at = { incidentID: '1' };
  await elsewhere.IncidentsService.AddLabel({ ...at, label: { label: mistakeLabel } });
  await elsewhere.IncidentsService.UpdateIncidentIsDrill({ ...at, isDrill: true });
  await elsewhere.IncidentsService.UpdateStatus({ ...at, status: 'resolved' });
  await look();
  expect(lines()).toEqual(['📡 Outside Slack, somebody said that it was declared by mistake.']);
  expect(card()).toContain('Declared by mistake');
  expect(announcement()).toContain('Declared by mistake');
  expect(room.topic).toBe('Declared by mistake · Disk is full');
  expect(place.reads(alice, general.id).join('\n')).toContain('Declared by mistake: Disk is full');
  expect(place.reads(alice, room.id).at(-1)).toContain('[Archive now]');

  await alice.command(room, '/incident reopen');
  await place.quiet();
  const { incident } = await elsewhere.IncidentsService.GetIncident(at);
  expect(incident).toMatchObject({ status: 'active', isDrill: false, labels: [] });
  await look();
  expect(lines()).toHaveLength(1);
});

test('the channel can be archived at once, and that is all', async () => {
  const { type, press, nextMessage, slack, home } = await openIncident();
  await type('/task add look at it');
  await type('/incident cancel');
  await press(nextMessage(), 'Archive now');
  expect(slack.channel(home.name).isArchived).toBe(true);
});

test('a private one that was declared by mistake stays unseen', async () => {
  const { type, slack, place, carol } = await openIncident({ flags: '--private' });
  await type('/incident cancel the probe');
  for (const channel of slack.channels)
    if (channel.members.has(carol.id))
      expect(place.reads(carol, channel.id).join('\n')).not.toMatch(/Checkout|mistake/);
});
