import { expect, test } from 'vitest';
import { allVerbs, otherWords } from '../../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../../src/bot/features.ts';
import { rootNoun } from '../../../../../src/bot/grammar/verb.ts';
import { openBareGeneral } from '../../../../support/general.ts';
import { declareNow, lastMessage } from '../../../../support/incident-room.ts';

const all = allVerbs(features);
const shown = all.filter(verb => verb.synonymOf === undefined);

test('there are at most 40 verbs, each with a function of its own, and an older word has that of its verb', () => {
  expect(shown.length).toBeLessThanOrEqual(40);
  expect(new Set(shown.map(verb => verb.run)).size).toBe(shown.length);
  for (const { noun, verb, synonymOf, run, usage = '' } of all.filter(each => each.synonymOf !== undefined)) {
    const own = shown.find(each => each.noun === noun && each.verb === synonymOf);
    expect(run).toBe(own?.run);
    expect(own && otherWords(own)).toContain(`${verb} ${usage}`.trim());
  }
});

test('people learn eleven words', () => {
  const learned = shown.filter(each => each.example !== undefined && !each.meansResolved);
  expect(learned.map(({ noun, verb }) => (noun === 'incident' || verb === 'link' ? verb : noun))).toEqual(
    'declare update call page task role note link status catchup resolve'.split(' '),
  );
});

test('bare root and help are a few lines and two buttons: what is here and now, and all commands', async () => {
  const { place, ask, alice, general, act } = await openBareGeneral();
  const last = () => lastMessage(place, alice, general);
  for (const line of ['/muster', '/muster help', '/muster ?', '/muster -h', '/muster --help']) {
    const text = await ask(line);
    expect(text.split('\n').length).toBeLessThan(16);
    for (const { example } of shown.filter(each => each.example && !each.meansResolved))
      expect(text).toContain(example?.replaceAll('`', ''));
    const asked = last();
    await act(() => alice.press(asked, 'Status of this incident'));
    expect(place.lastRead(alice, general.id)).toContain('This channel has no incident.');
    await act(() => alice.press(asked, 'All commands'));
    for (const verb of shown) {
      expect(place.lastRead(alice, general.id)).toContain(`/${verb.noun} ${verb.verb}`);
    }
  }
  const home = await declareNow(place, alice, general, 'Checkout answers 500');
  await alice.command(home, '/muster help');
  await act(() => alice.press(lastMessage(place, alice, home), 'Status of this incident'));
  expect(place.lastRead(alice, home.id)).toContain('Latest on the timeline');
});

test('help all lists every verb and every shortcut, within Slack’s limits', async () => {
  const { ask, alice, general } = await openBareGeneral();
  for (const line of ['/muster help all', '/muster help commands']) {
    const text = await ask(line);
    for (const verb of shown) expect(text).toContain(`/${verb.noun} ${verb.verb}`);
    expect(text).toContain('Declare incident in the shortcuts menu');
  }
  const answer = await alice.command(general, '/muster help all');
  for (const block of answer.message?.blocks ?? []) expect(JSON.stringify(block).length).toBeLessThan(3100);
  expect(JSON.stringify(answer.message?.blocks)).not.toContain('…"');
});

test('the help of a noun lists its verbs', async () => {
  const { ask } = await openBareGeneral();
  // The root's own verbs stand in its help, which is everybody's.
  const nouns = new Set(shown.map(verb => verb.noun));
  nouns.delete(rootNoun);
  for (const noun of nouns) {
    const own = shown.filter(verb => verb.noun === noun);
    const lines =
      noun === 'incident'
        ? ['/incident help all', '/muster incident help commands']
        : [`/${noun} help`, `/muster ${noun} help`, `/muster help ${noun}`];
    for (const line of lines) {
      const text = await ask(line);
      for (const verb of own) expect(text).toContain(`/${noun} ${verb.verb}`);
      expect(text).toContain(`to learn more: /${noun} ${own[0]?.verb} help.`);
    }
  }
});

test('each verb has help with its usage and flags', async () => {
  const { ask } = await openBareGeneral();
  for (const verb of all) {
    for (const line of [
      `/${verb.noun} ${verb.verb} help`,
      `/${verb.noun} help ${verb.verb}`,
      `/muster ${verb.noun === rootNoun ? '' : verb.noun} ${verb.verb} --help`,
    ]) {
      const text = await ask(line);
      expect(text).toContain(verb.summary.replaceAll('`', ''));
      for (const flag of Object.keys(verb.flags ?? {})) expect(text).toContain(`--${flag}`);
    }
  }
});
