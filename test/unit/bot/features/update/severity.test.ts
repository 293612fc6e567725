import { describe, expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

describe('an update that changes the severity', () => {
  test('is one form, one message and one Undo', async () => {
    const { press, showCard, bob, submit, publicLines, incident, items, last, bodies } = await openVerbs();
    await press(await showCard(), 'Update', bob);
    expect(bob.view?.values.severity?.severity?.selected_option).toMatchObject({ value: 'pending' });
    await submit({ happened: 'Orders fail', doing: 'Rolling back', severity: 'major', next: '30' }, bob);
    expect((await incident()).severity).toBe('major');
    expect(await publicLines()).toEqual([
      '📣 Update · 🟠 major (was pending) · next by 12:45 PM – @bob\n> Orders fail.\n> Rolling back',
    ]);
    expect(await items('incidentSeverityChanged')).toHaveLength(1);
    await press(last(bob), 'Undo', bob);
    expect((await incident()).severity).toBe('pending');
    expect(await bodies()).toEqual([]);
    expect(await publicLines()).toHaveLength(1);
    expect((await publicLines())[0]).toContain('took this back');
  });

  test('sent as it opened leaves the severity as it is', async () => {
    const { press, showCard, submit, type, items } = await openVerbs();
    await type('/incident severity minor');
    await press(await showCard(), 'Update');
    await type('/incident severity critical');
    await submit({ happened: 'Orders fail' });
    expect((await items('incidentSeverityChanged')).map(item => item.body)).toEqual([
      'Severity changed to minor',
      'Severity changed to critical',
    ]);
  });

  test('is not taken back once somebody set the severity again', async () => {
    const { press, type, bob, incident, bodies, last } = await openVerbs();
    await type('/incident update it spreads --severity major');
    const posted = last();
    await type('/incident severity critical', bob);
    expect(await press(posted, 'Undo')).toContain('I did not undo that: somebody has changed it since, to critical');
    expect((await incident()).severity).toBe('critical');
    expect(await bodies()).toHaveLength(1);
  });

  test('refuses a severity that there is not, and loses no word', async () => {
    const { type, bodies, incident } = await openVerbs();
    expect(await type('/incident update it spreads --severity sevre')).toContain('There is no severity “sevre”');
    expect(await bodies()).toEqual([]);
    expect((await incident()).severity).toBe('pending');
  });
});
