import { describe, expect, test } from 'vitest';
import { blocksOf } from '../../playground/fake-slack/block-kit/message-blocks.ts';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { resolve } from '../../src/bot/features/resolve/feature.ts';
import { isMistake, mistakeLabel } from '../../src/contract/mistakes.ts';
import { openElsewhere } from '../support/elsewhere.ts';
import { declareNow, lastMessage, openIncident } from '../support/incident-room.ts';
import { openOnDuty } from '../support/on-duty.ts';
import { openOutage } from '../support/outage-room.ts';
import { readList } from '../support/table.ts';

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
      announced,
      card,
      press,
      last,
      incident,
      next,
      publicLines,
    } = await openIncident({ announces: true, clock: () => new Date() });
    expect(await type('/incident cancel the probe was wrong')).toMatch(
      /You marked incident 1 as declared by mistake\.\n\[Undo\]$/,
    );

    expect(isMistake(await incident())).toBe(true);
    expect(publicLines()).toEqual([
      ':leftwards_arrow_with_hook: Declared by mistake – @alice · /incident reopen opens it again\n> the probe was wrong',
    ]);
    const [shown] = place.reads(alice, home.id);
    expect(shown).toContain('Declared by mistake');
    for (const word of ['Resolved', 'RESOLVED', 'after', 'DRILL', mistakeLabel]) expect(shown).not.toContain(word);
    expect(slack.channel(home.name).topic).toBe('Declared by mistake · Checkout answers 500');
    const [announcement, news] = announced();
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
    const { type, place, alice, carol, general, incident, act } = await openIncident();
    await type('/incident declare Wrong window --now', alice, general);
    const declared = lastMessage(place, alice, general);
    expect(place.reads(carol, general.id).at(-1)).toContain('[Join]');
    await act(() => alice.press(declared, 'Undo'));
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
  await type('/incident cancel a probe');
  for (const channel of slack.channels)
    if (channel.members.has(carol.id))
      expect(place.reads(carol, channel.id).join('\n')).not.toMatch(/Checkout|mistake/);
});

describe('once somebody else takes part, it asks first', () => {
  test.each<[string, (room: Awaited<ReturnType<typeof openIncident>>) => Promise<unknown>]>([
    ['wrote a note', ({ type, bob }) => type('/note I look at it', bob)],
    ['took command', ({ type, bob }) => type('/role assign me commander', bob)],
    ['was given a role', ({ type }) => type('/role assign @bob commander')],
    ['was given a task', ({ type }) => type('/task add fail over @bob')],
    ['was called', ({ type }) => type('/incident call @bob')],
  ])('somebody %s', async (_what, work) => {
    const room = await openIncident();
    const { type, incident, publicLines, last, press } = room;
    await work(room);
    const before = publicLines();
    const lines = ['/incident resolve --now false alarm', '/incident cancel the probe was wrong'];
    for (const line of lines) {
      expect(await type(line), line).toMatch(
        /Nothing was changed yet\.\n@?bob takes part in it[\s\S]*\[By mistake\] \[Resolve\]/,
      );
      expect((await incident()).status).toBe('active');
      expect(publicLines()).toEqual(before);
    }
    await press(last(), 'By mistake');
    expect(isMistake(await incident())).toBe(true);
    expect(publicLines().at(-1)).toContain('Declared by mistake – @alice');
    expect(publicLines().at(-1)).toContain('> the probe was wrong');
    await press(last(), 'Undo');
    expect((await incident()).status).toBe('active');
  });

  test('the one who cancels what somebody else declared is asked; two presses end it once', async () => {
    const { type, bob, incident, last, place, items, publicLines } = await openIncident();
    await type('/incident cancel', bob);
    expect((await incident()).status).toBe('active');
    const question = last(bob);
    await Promise.all([bob.press(question, 'By mistake'), bob.press(question, 'By mistake')]);
    await place.quiet();
    expect(isMistake(await incident())).toBe(true);
    expect((await items('userNote')).filter(each => each.body.includes('mistake'))).toHaveLength(1);
    expect(publicLines().filter(each => each.includes('mistake'))).toHaveLength(1);
  });

  test('the question tells of tasks, the last update and the pagers that were paged', async () => {
    const PAGERS = 'sre=webhook:http://127.0.0.1:9/hook|a-secret-of-sixteen-characters';
    const { type, bob } = await openIncident({ settings: { PAGERS } });
    await type('/incident page sre all of it burns');
    expect(await type('/incident cancel')).toContain('the pager sre takes part in it');
    await type('/task add fail over @bob');
    await type('/incident update we roll back 1141', bob);
    expect(await type('/incident cancel')).toMatch(
      /bob and the pager sre take part in it\.\n.*fail over.*\n.*bob.*we roll back 1141/,
    );
  });

  test('it was real: the form has the words, and it is resolved with them as its summary', async () => {
    const { type, bob, incident, submit, press, last, publicLines } = await openIncident();
    await type('/task add fail over @bob');
    await type('/incident cancel the replica took over', bob);
    await press(last(bob), 'Resolve', bob);
    expect((await incident()).status).toBe('active');
    await submit({}, bob);
    expect(await incident()).toMatchObject({ status: 'resolved', isDrill: false, labels: [] });
    expect(publicLines().at(-1)).toMatch(/Resolved[\s\S]*the replica took over/);
  });

  test.each<[string, RegExp, (room: Awaited<ReturnType<typeof openOnDuty>>) => Promise<unknown>]>([
    ['somebody resolved it', /It is resolved/, ({ type }) => type('/incident resolve the replica took over --now')],
    ['somebody took command', /alice/, ({ type }) => type('/role assign me commander')],
    ['it was reopened', /alice/, ({ type }) => type('/incident resolve --now').then(() => type('/incident reopen'))],
  ])('an old question changes nothing after %s: it asks again', async (_what, stands, work) => {
    const room = await openOnDuty();
    const { type, bob, press, last, incident, items, wait } = room;
    await type('/incident cancel probe lied', bob);
    const question = last(bob);
    wait(5);
    await work(room);
    wait(5);
    const before = await incident();
    for (const label of ['By mistake', 'Resolve']) {
      expect(await press(question, label, bob), label).toMatch(/Nothing was changed yet/);
      expect(await press(question, label, bob), label).toMatch(stands);
      expect(await incident()).toEqual(before);
    }
    expect((await items('userNote')).filter(each => each.body.includes('mistake'))).toEqual([]);
    await press(last(bob), 'By mistake', bob);
    expect(isMistake(await incident())).toBe(true);
  });

  test('one that is over is marked, and not resolved again', async () => {
    const { type, bob, press, last, incident } = await openIncident();
    await type('/note I look at it', bob);
    await type('/incident resolve --now');
    const asked = await type('/incident cancel');
    expect(asked).toContain('[By mistake]');
    expect(asked).not.toContain('[Resolve]');
    await press(last(), 'By mistake');
    expect(isMistake(await incident())).toBe(true);
  });

  test('by mention the question is the same, and “false alarm” is no summary', async () => {
    const { act, alice, home, last, press, submit, incident, type, bob, reads } = await openIncident();
    await type('/note I look at it', bob);
    await act(() => alice.mention(home, 'false alarm'));
    expect(reads()).toContain('[By mistake] [Resolve]');
    await press(last(), 'Resolve');
    await submit();
    expect(await incident()).toMatchObject({ status: 'resolved', isDrill: false });
  });

  test('while the API is away too, and the answer waits for it', async () => {
    const { type, alice, bob, room, goAway, comeBack, place, incident, act } = await openOutage();
    await type('/incident declare Checkout is down --now');
    bob.join(room().id);
    await type('/note I look at it', bob, room().name);
    goAway();
    expect(await type('/incident cancel a test', alice, room().name)).toContain('bob takes part in it');
    const question = lastMessage(place, alice, room());
    await act(() => alice.press(question, 'By mistake'));
    expect(place.lastRead(alice, room().id)).toContain('Saved');
    await comeBack();
    expect(isMistake(await incident())).toBe(true);
  });
});

describe('another thing right behind a verb that ends is a question', () => {
  const lines = readList(`
    cancel call @carol | cancel the call | cancel page sre | cancel task 1 | cancel reminders | cancel update | cancel my last note
    cancel the meeting | abort the rollout | cancel the last alert | cancel all open tasks | cancel room | cancel the dashboard link
    cancel role | resolve task 2 --now | close room --now | close the last call, please --now | end all alerts --now
  `);

  test('nothing ends before a press', async () => {
    const { type, incident } = await openIncident();
    await type('/task add look at it');
    for (const line of lines) {
      expect(await type(`/incident ${line}`), line).toMatch(/Nothing was changed yet[\s\S]*\[By mistake\] \[Resolve\]/);
      expect((await incident()).status, line).toBe('active');
    }
    for (const [line, act] of [
      ['cancel task 1', '/task delete 1'],
      ['resolve task 1 --now', '/task done 1'],
      ['cancel my reminders', '/incident reminders off'],
    ])
      expect(await type(`/incident ${line}`)).toContain(`[${act}]`);
  });

  test('the act on it is a button', async () => {
    const { type, press, last, incident } = await openIncident();
    await type('/task add look at it');
    await type('/incident cancel task 1');
    await press(last(), '/task delete 1');
    expect(await incident()).toMatchObject({ status: 'active', taskList: { tasks: [] } });
    await type('/incident cancel task 1');
    await press(last(), 'By mistake');
    expect(isMistake(await incident())).toBe(true);
  });

  test.each([
    ...['all good again', 'all clear', 'alerts cleared', 'that was it', 'the pool, once more', 'this one is done'],
    ...['calls ended', 'the rollback helped', 'no alerts any more', 'all nodes are back', 'pages stopped'],
  ])('“%s” is a summary', async why => {
    const { type, incident } = await openIncident();
    await type(`/incident resolve ${why} --now`);
    expect((await incident()).status).toBe('resolved');
  });

  test.each(['the probe was wrong', 'the call was a test', 'the incident', 'noted', 'calling it off'])(
    '“%s” is a reason',
    async why => {
      const { type, incident } = await openIncident();
      await type(`/incident cancel ${why}`);
      expect(isMistake(await incident())).toBe(true);
    },
  );
});

describe('a number behind the verb is an incident', () => {
  /** Incident 1 in its room, and incident 2. Alice alone takes part in both. */
  async function openTwo() {
    const room = await openIncident();
    const second = await declareNow(room.place, room.alice, room.general, 'Mail is late');
    return { ...room, second };
  }

  test.each([
    '/incident cancel 2',
    '/incident cancel #2',
    '/incident cancel 2!',
    '/incident cancel INC-2',
    '/incident cancel #2 the probe lied',
  ])('“%s” in the room of 1 is about 2', async line => {
    const { type, incident } = await openTwo();
    await type(line);
    expect((await incident('1')).status).toBe('active');
    expect(isMistake(await incident('2'))).toBe(true);
  });

  test('before more words it is a question, behind every word that ends or opens', async () => {
    const { type, alice, second, incident } = await openTwo();
    const words = resolve.verbs.flatMap(({ verb, aliases = [], shorthands = {} }) => [
      verb,
      ...aliases,
      ...Object.keys(shorthands),
    ]);
    expect(words).toEqual(expect.arrayContaining(['resolve', 'close', 'cancel', 'falsealarm', 'reopen']));
    for (const word of words)
      for (const line of [`/incident ${word} 2 of 3 probes lied`, `/muster ${word} #2 of 3, they lied --now`]) {
        const said = await type(line);
        const isCertain = /#2/.test(line) && !['resolve', 'close', 'finish', 'end'].includes(word);
        if (!isCertain) expect(said, line).toContain('Do you mean incident 2');
        expect((await incident('1')).status, line).toBe('active');
        if (!isCertain) expect((await incident('2')).status, line).toBe('active');
        else await type('/incident reopen', alice, second);
      }
  });

  test('a number alone is no title, and no days of the channel of another incident', async () => {
    const { type, alice, slack, incident, last, press } = await openTwo();
    for (const line of ['/incident open 2 --now', '/muster start #2 --now']) {
      await type(line);
      expect(renderView(slack, alice.view ?? expect.fail('No form')), line).toContain('Declare an incident');
    }
    await type('/incident resolve --now');
    for (const line of ['/incident archive 2', '/incident archive #2'])
      expect(await type(line), line).toMatch(/Do you mean incident 2[\s\S]*\[#1: \/incident archive #?2\]/);
    await type('/incident archive 2');
    expect(await press(last(), '#1: /incident archive 2')).toContain('Nov 22, 2026');
    expect(await type('/incident archive 7')).toContain('Nov 27, 2026');
    expect(await type('/incident archive 2 days')).toContain('Nov 22, 2026');
    expect(await type('/incident archive INC-2 in 3 days')).toContain('Incident 2 is still active');
    expect((await incident('2')).status).toBe('active');
  });

  test('before more words it is a question, in each order', async () => {
    const { type, incident, last, press } = await openTwo();
    for (const line of ['/incident cancel 2 of 3 probes lied', '/incident abort 2 probes lied']) {
      expect(await type(line), line).toContain('Do you mean incident 2');
      expect((await incident('1')).status).toBe('active');
      expect((await incident('2')).status).toBe('active');
    }
    await press(last(), '#1: /incident cancel 2 probes lied');
    expect(isMistake(await incident('1'))).toBe(true);
    expect((await incident('2')).status).toBe('active');

    await type('/incident cancel 2');
    expect(await type('/incident reopen 2 of 3 nodes are down again')).toContain('Do you mean incident 2');
    for (const id of ['1', '2']) expect((await incident(id)).status).toBe('resolved');
    await press(last(), '#2: /incident reopen of 3 nodes are down again');
    expect((await incident('1')).status).toBe('resolved');
    expect((await incident('2')).status).toBe('active');
  });

  test('words with another number, and one of no incident', async () => {
    const { type, incident } = await openTwo();
    expect(await type('/incident cancel 17')).toContain('17');
    expect((await incident('1')).status).toBe('active');
    await type('/incident cancel 500 errors came from a test');
    expect(isMistake(await incident('1'))).toBe(true);
    await type('/incident reopen');
    await type('/incident duplicate of #2');
    for (const number of ['1', '2']) expect((await incident(number)).status).toBe('active');
  });

  test('elsewhere the active incidents are offered, and a number is one', async () => {
    const { type, alice, general, incident, last } = await openTwo();
    expect(await type('/incident cancel', alice, general)).toContain('Which one do you mean');
    expect(JSON.stringify(blocksOf(last(alice, general)))).toContain('Checkout answers 500');
    await type('/incident cancel 2', alice, general);
    expect(isMistake(await incident('2'))).toBe(true);
    expect((await incident('1')).status).toBe('active');
  });
});
