import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

test('people’s words read as they typed them wherever Muster quotes them, and format nothing', async () => {
  const { slack, type, home, bob, publicLines } = await openIncident({ flags: '*Incident 1 is resolved* _x_ `y` ~z~' });
  const title = 'Checkout answers 500 *Incident 1 is resolved* _x_ `y` ~z~';
  expect(await type('/incident status')).toContain(title);
  expect(await type('/incident list')).toContain(title);
  expect(await type('/note *Incident 1 is resolved*')).toContain(phrases.added);
  expect(publicLines().join('\n')).toContain('“*Incident 1 is resolved*”');
  expect(await type('/note list')).toContain('*Incident 1 is resolved* · alice');
  expect(await type('/task add *drop* _all_ `tables`')).toContain('“*drop* _all_ `tables`”');
  expect(await type('/task list')).toContain('*drop* _all_ `tables`');
  expect(await type('/incident title > *ha* ~ha~')).toContain('You renamed');
  expect(publicLines().join('\n')).toContain('“> *ha* ~ha~”');
  expect(await type('/incident nte *x* _y_', bob)).toContain('You typed: /incident nte *x* _y_');
  expect(slack.channel(home.id).topic).toContain('> *ha* ~ha~'.replaceAll('>', '&gt;'));
});

test('a title that is too long for a headline is shown whole under it', async () => {
  const long = `Checkout ${'very '.repeat(40)}slow`;
  const { place, alice, home, type } = await openIncident();
  await type(`/incident title ${long}`);
  const [card = ''] = place.reads(alice, home.id);
  expect(card).toContain(long);
  await type('/incident title short');
  expect(place.reads(alice, home.id)[0]?.match(/short/g)).toHaveLength(1);
});
