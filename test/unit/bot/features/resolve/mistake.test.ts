import { expect, test } from 'vitest';
import { isMistake, mistakeLabel } from '../../../../../src/contract/mistakes.ts';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { declareNow } from '../../../../support/incident-room.ts';
import { recover } from '../../../../support/recover.ts';
import { openVerbs, shareVerbs } from '../../../../support/verbs.ts';

const room = shareVerbs();

test.each([
  ['/incident cancel', 'Declared by mistake'],
  ['/incident abort', 'Declared by mistake'],
  ['/incident false alarm', 'Declared by mistake: False alarm'],
  ['/incident false alarm of the probe', 'Declared by mistake: False alarm of the probe'],
  ['/incident false-positive', 'Declared by mistake: False positive'],
  ['/incident by mistake', 'Declared by mistake'],
  ['/incident mistake', 'Declared by mistake'],
  ['/incident duplicate of the other', 'Declared by mistake: Duplicate of the other'],
  ['/incident resolve false alarm', 'Declared by mistake: false alarm'],
  ['/incident resolve --now duplicate of #22', 'Declared by mistake: duplicate of #22'],
  ['/incident close by mistake.', 'Declared by mistake'],
  ['/incident close Declared by mistake', 'Declared by mistake'],
  ['/incident resolved: false positive!', 'Declared by mistake: false positive!'],
])('“%s” says that it was declared by mistake', async (line, note) => {
  const { type, incident, bodies, wait } = room();
  wait(1);
  await type(line);
  expect(isMistake(await incident())).toBe(true);
  expect((await bodies()).at(-1)).toBe(`${note}\n\n— alice in Slack`);
  await type('/incident reopen');
});

test.each([
  '/incident resolve --now it was no false alarm',
  '/incident resolve --now false alarms were silenced',
  '/incident resolve --now fixed the duplicate orders',
  '/incident resolve --now somebody deleted it by mistake',
])('“%s” resolves it', async line => {
  const { type, incident } = room();
  await type(line);
  expect(await incident()).toMatchObject({ status: 'resolved', isDrill: false, labels: [] });
  await type('/incident reopen');
});

test('the form of the resolution understands the same words', async () => {
  const { showCard, press, submit, incident } = await openVerbs();
  await press(await showCard(), 'Resolve');
  await submit({ summary: 'False alarm' });
  expect(isMistake(await incident())).toBe(true);
});

test('no list of resolved incidents counts one, and a search finds it, marked', async () => {
  const { type, press, last, place, bob, alice, general } = await openVerbs();
  for (const title of ['Mail is slow', 'Search is down']) {
    const room = await declareNow(place, alice, general, title);
    await type('/incident resolve it was DNS --now', alice, room);
  }
  for (let count = 0; count < 6; count += 1) {
    const room = await declareNow(place, alice, general, `Probe ${count}`);
    await type('/incident cancel', alice, room);
  }
  for (const line of ['', ' resolved', ' me', ' pending', ' drills']) {
    const list = await type(`/incident list${line}`);
    expect(list, line).not.toMatch(/Probe|mistake/i);
    if (line !== ' drills')
      expect(list, line).toMatch(/Recently resolved.* \(2\)[\s\S]*Search is down[\s\S]*Mail is slow/);
  }
  await type('/incident list', alice, general);
  await press(last(alice, general), 'Post to channel');
  expect(place.lastRead(bob, general.id)).toContain('Mail is slow');
  expect(place.lastRead(bob, general.id)).not.toMatch(/Probe|mistake/i);
  expect(await type('/incident list Probe')).toMatch(/Probe 5[\s\S]*declared by mistake/i);
  expect(await type('/incident list status:resolved')).toMatch(/Probe 5[\s\S]*declared by mistake/i);
});

test('where all were declared by mistake, the list says that none is active', async () => {
  const { type } = await openVerbs();
  await type('/incident cancel');
  const list = await type('/incident list');
  expect(list).toContain('No incident is active');
  expect(list).not.toMatch(/Recently resolved|mistake|no incidents? yet/i);
});

test('Undo gives everything back, also what was a drill, or was resolved, before', async () => {
  const { type, press, last, incident, publicLines, wait } = await openVerbs();
  await type('/incident drill on');
  await type('/incident label checkout');
  await type('/incident cancel');
  expect((await incident()).labels.map(each => each.label)).toEqual(['checkout', mistakeLabel]);
  await press(last(), 'Undo');
  expect(await incident()).toMatchObject({ status: 'active', isDrill: true });
  expect((await incident()).labels.map(each => each.label)).toEqual(['checkout']);
  expect((await publicLines()).at(-1)).toContain('@alice took this back: ');

  await type('/incident drill off');
  wait(10);
  await type('/incident resolve --now');
  const { incidentEnd } = await incident();
  await type('/incident cancel');
  expect(isMistake(await incident())).toBe(true);
  await press(last(), 'Undo');
  expect(await incident()).toMatchObject({ status: 'resolved', isDrill: false, incidentEnd });

  await type('/incident cancel');
  expect(await type('/incident cancel once more')).toContain('Incident 1 is declared by mistake already.');
  await type('/incident reopen');
  await press(last(), 'Undo');
  expect(isMistake(await incident())).toBe(true);
});

test('a guest may not', async () => {
  const { type, gus, incident } = await openVerbs();
  expect(await type('/incident cancel', gus)).toContain('guests cannot change incidents');
  expect((await incident()).status).toBe('active');
});

test.each(['UpdateStatus', 'AddLabel', 'UpdateIncidentIsDrill', 'RemoveLabel', 'AddActivity'])(
  'the Grafana’s answer to %s is lost: it is marked once, and opened again once',
  async method => {
    const grafana = await openFakeGrafana();
    const { type, place, incident, publicLines } = await openVerbs({ settings: grafana.settings });
    const lose = () =>
      grafana.fail({ when: new RegExp(method), afterEffect: true, answer: { status: 500, body: 'oops' } });
    lose();
    await type('/incident cancel');
    await recover(place, grafana);
    await place.quiet();
    expect(isMistake(await incident())).toBe(true);
    lose();
    await type('/incident reopen');
    await recover(place, grafana);
    await place.quiet();
    expect(await incident()).toMatchObject({ status: 'active', isDrill: false, labels: [] });
    const told = (await publicLines()).filter(each => !each.includes('answers again'));
    expect(told.map(each => /mistake|Reopened|📡/.exec(each)?.[0])).toEqual(['mistake', 'Reopened']);
  },
);
