import { expect, test } from 'vitest';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test('an unknown severity: a sentence and a button for each that there is, and nothing changes before a press', async () => {
  const { type, incident, press, last } = await openVerbs();

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

test('guests and incidents that do not exist are refused with a reason; elsewhere a picker asks which', async () => {
  const { type, gus, press, last, general, incident, showCard, reads, alice, act } = await openVerbs();

  expect(await type('/incident severity major', gus)).toContain('guests cannot change incidents');
  expect(await press(await showCard(), 'Edit', gus)).toContain('guests cannot change incidents');
  expect(await type('/incident severity major --incident 99')).toContain(phrases.noIncident(99));

  await type('/incident severity minor', alice, general);
  expect(reads(alice, general)).toContain('Which one do you mean with /incident severity?');
  await act(() => alice.press(last(alice, general), '#1 Checkout answers 500'));
  expect((await incident()).severity).toBe('minor');
  expect(reads(alice, general)).toContain('You set the severity of incident 1 to minor (was pending)');
});

test('a form that opens too late is kept and offered again', async () => {
  const { slack, showCard, press, reads, last, alice, submit, incident } = await openVerbs();
  slack.delayTriggers();
  await press(await showCard(), 'Edit');
  expect(reads()).toContain('What you typed is kept');
  await press(last(), 'Open the form');
  expect(alice.view).toBeDefined();
  await submit({ severity: 'major' });
  expect((await incident()).severity).toBe('major');
});

test('each severity says what it means where people choose one', async () => {
  const { type, alice, general } = await openVerbs({
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
