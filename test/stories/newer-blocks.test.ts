import { expect, test } from 'vitest';
import { renderView } from '../../playground/fake-slack/fake-slack.ts';
import { openIncident } from '../support/incident-room.ts';
import { openInstalledSlack } from '../support/workplace.ts';

/** An incident with an open task, in a workspace that takes newer blocks or refuses them. */
async function openWorkspace(settings: Readonly<Record<string, string>> = {}) {
  let takesNewBlocks = true;
  let now = new Date('2026-11-20T12:15:00Z');
  let steady = 0;
  const slack = await openInstalledSlack(() => now, { newBlocks: () => takesNewBlocks });
  const opened = await openIncident({ slack, settings, clock: () => now, steady: () => steady });
  await opened.type('/task add Roll back 1141 @bob');
  const { alice } = opened;
  const isTried = (method: string, type: string) =>
    slack.callsOf(method).map(({ args }) => JSON.stringify(args).includes(`"type":"${type}"`));
  return {
    ...opened,
    setNewBlocks: (isTaken: boolean) => {
      takesNewBlocks = isTaken;
    },
    /** Hours go by. */
    waitHours: (hours: number) => {
      steady += hours * 3_600_000;
      now = new Date(now.getTime() + hours * 3_600_000);
    },
    /** Opens the form that resolves the incident, and yields the notice in it. */
    resolveForm: async () => {
      await opened.type('/incident resolve');
      const { view } = alice;
      if (!view) throw new Error(`No form: ${opened.reads()}`);
      const looks = renderView(slack, view);
      const notice = view.blocks.find(block => JSON.stringify(block).includes('still open'));
      await alice.close();
      return { looks, notice };
    },
    /** Whether each call had a block of that type, oldest first. */
    isTried,
  };
}

const alerted = {
  type: 'alert',
  level: 'warning',
  text: { type: 'mrkdwn', text: '1 task is still open: *Roll back 1141* (bob)' },
};
const classic = { type: 'section', text: { type: 'mrkdwn', text: `:warning: ${alerted.text.text}` } };

test('a workspace that has newer blocks shows the warning of a form as an alert', async () => {
  const { resolveForm, isTried } = await openWorkspace();
  const { notice, looks } = await resolveForm();
  expect(notice).toMatchObject(alerted);
  expect(notice).not.toHaveProperty('classic');
  expect(looks).toContain('(warning) 1 task is still open: Roll back 1141 (bob)');
  expect(isTried('views.open', 'alert')).toEqual([true]);
});

test('one that refuses them shows the classic form at once, is asked again after a day, and nobody notices', async () => {
  const { resolveForm, isTried, setNewBlocks, waitHours, place, alice, home } = await openWorkspace();
  setNewBlocks(false);
  const before = place.reads(alice, home.id);
  const { notice, looks } = await resolveForm();
  expect(notice).toMatchObject(classic);
  expect(looks).toContain(':warning: 1 task is still open: Roll back 1141 (bob)');
  expect(isTried('views.open', 'alert')).toEqual([true, false]);

  waitHours(23);
  expect((await resolveForm()).notice).toMatchObject(classic);
  expect(isTried('views.open', 'alert')).toEqual([true, false, false]);

  waitHours(1);
  expect((await resolveForm()).notice).toMatchObject(classic);
  expect(isTried('views.open', 'alert').slice(3)).toEqual([true, false]);

  setNewBlocks(true);
  expect((await resolveForm()).notice).toMatchObject(classic);
  waitHours(24);
  expect((await resolveForm()).notice).toMatchObject(alerted);
  expect(place.reads(alice, home.id)).toEqual(before);
  expect(place.troubles).toEqual([]);
});

test('if Slack uses up the trigger of a form that it refuses, a button opens the classic one', async () => {
  const { slack, alice, type, last, press, setNewBlocks } = await openWorkspace();
  setNewBlocks(false);
  slack.fail(
    'views.open',
    { error: 'exchanged_trigger_id' },
    { when: args => !JSON.stringify(args).includes('"alert"') },
  );
  expect(await type('/incident resolve the deploy')).toContain('What you typed is kept');
  await press(last(), 'Open the form');
  const looks = alice.view && renderView(slack, alice.view);
  expect(looks).toContain(':information_source: I kept what you typed. Look through it, then send the form again.');
  expect(looks).toContain(':warning: 1 task is still open');
  expect(looks).toContain('[the deploy]');
});

test('BLOCKS=classic sends no newer block', async () => {
  const { resolveForm, isTried } = await openWorkspace({ BLOCKS: 'classic' });
  expect((await resolveForm()).notice).toMatchObject(classic);
  expect(isTried('views.open', 'alert')).toEqual([false]);
});
