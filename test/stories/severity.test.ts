import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('raising the severity: said, stored, on the timeline, on the card; a second time changes nothing', async () => {
  const { type, incident, items, place, alice, home, publicLines } = await openIncident();

  expect(await type('/incident severity Major')).toBe('☑️ Set to major.\n[Undo]');
  expect((await incident()).severity).toBe('major');
  expect(place.reads(alice, home.id)[0]).toContain('🟠 MAJOR');

  expect(await type('/incident sev major')).toBe(`Incident 1 is major already. ${phrases.unchanged}`);
  const changes = await items('incidentSeverityChanged');
  expect(changes.map(item => [item.body, item.user.name])).toEqual([['Severity changed to major', 'alice']]);
  expect(publicLines()).toEqual(['🟠 Severity raised: pending → major – @alice']);
});

test('an unknown severity: a sentence and a button for each that there is, and nothing changes before a press', async () => {
  const { type, incident, press, last } = await openIncident();

  expect(await type('/incident severity crtical')).toBe(
    [
      `There is no severity “crtical”: did you mean critical? ${phrases.unchanged}`,
      '[pending]\n[minor]\n[major]\n[critical]',
      'You typed: /incident severity crtical',
    ].join('\n'),
  );
  const hostile = await type('/incident severity <!channel> &lt;b&gt; \u0007');
  expect(hostile).toContain('There is no severity “<!channel> &lt;b&gt;”: choose one of');
  expect(hostile).not.toContain('!!!');
  expect(await type(`/incident severity ${'x'.repeat(5000)}`)).toContain('There is no severity “xxx');
  expect((await incident()).severity).toBe('pending');
  await press(last(), 'critical');
  expect((await incident()).severity).toBe('critical');
});

test('the form: from the card and from the bare command, filled with what is so; sent twice it acts once', async () => {
  const { alice, bob, card, press, type, submit, place, reads, incident, items } = await openIncident();

  await type('/incident severity');
  expect(alice.view?.values.severity?.severity?.selected_option).toMatchObject({ value: 'pending' });
  await alice.close();

  await press(card(), 'Severity', bob);
  await bob.submitTwice({ severity: 'critical' });
  await place.quiet();
  expect((await incident()).severity).toBe('critical');
  expect((await items('incidentSeverityChanged')).map(item => item.user.name)).toEqual(['bob']);
  const answers = place
    .reads(bob, card().channel)
    .filter(each => /^(Incident 1|☑️)/.test(each) && each.includes('critical'));
  expect(answers.toSorted()).toEqual([
    `Incident 1 is critical already. ${phrases.unchanged}`,
    '☑️ Set to critical.\n[Undo]',
  ]);

  await press(card(), 'Severity');
  await submit({});
  expect(reads()).toBe(`Incident 1 is critical already. ${phrases.unchanged}`);
});

test('guests and incidents that do not exist are refused with a reason; elsewhere a picker asks which', async () => {
  const { type, gus, press, last, general, incident, card, reads, alice, place } = await openIncident();

  expect(await type('/incident severity major', gus)).toContain('guests cannot change incidents');
  expect(await press(card(), 'Severity', gus)).toContain('guests cannot change incidents');
  expect(await type('/incident severity major --incident 99')).toContain(phrases.noIncident(99));

  await type('/incident severity minor', alice, general);
  expect(reads(alice, general)).toContain('Which one do you mean with /incident severity?');
  await alice.press(last(alice, general), '#1 Checkout answers 500');
  await place.quiet();
  expect((await incident()).severity).toBe('minor');
  expect(reads(alice, general)).toContain('Incident 1 went from pending to minor');
});

test('a form that opens too late is kept and offered again', async () => {
  const { slack, card, press, reads, last, alice, submit, incident } = await openIncident();
  slack.delayTriggers();
  await press(card(), 'Severity');
  expect(reads()).toContain('What you typed is kept');
  await press(last(), 'Open the form');
  expect(alice.view).toBeDefined();
  await submit({ severity: 'major' });
  expect((await incident()).severity).toBe('major');
});

test('each severity says what it means where people choose one', async () => {
  const { type, alice, general } = await openIncident({
    settings: { SEVERITY_MEANINGS: 'major: many customers cannot pay; critical: nothing works' },
  });
  const optionsShown = () => {
    const field = alice.view?.blocks.find(each => each.block_id === 'severity');
    return JSON.parse(JSON.stringify(field)).element.options.map((each: { value: string; text: { text: string } }) => [
      each.value,
      each.text.text,
    ]);
  };
  const expected = [
    ['pending', '⚪ Not known yet'],
    ['minor', '🟡 Minor – few people notice'],
    ['major', '🟠 Major – many customers cannot pay'],
    ['critical', '🔴 Critical – nothing works'],
  ];
  await type('/incident severity');
  expect(optionsShown()).toEqual(expected);
  await type('/incident declare', alice, general);
  expect(optionsShown()).toEqual(expected);
});
