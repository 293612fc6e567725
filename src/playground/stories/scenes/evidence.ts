import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../../../fake-slack/fake-slack.ts';
import { incidentID, lastRead, type Play, roomOf } from '../facts.ts';
import { readTimeline } from '../timeline.ts';

/** A thread, and a reply of it that belongs on the timeline. */
export async function thread(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob, carol } = stage.cast;
  const shortcut = { id: 'add_timeline', name: 'Add to timeline' };
  stage.clock.pass(3);
  transcript.scene('A thread, and a reply worth keeping');
  let reply: Message | undefined;
  const notesOf = async () => {
    const items = await readTimeline(stage.muster.api, incidentID);
    return items.filter(item => item.activityKind === 'userNote' && item.body.includes('since 02:19'));
  };
  await steps.step(
    'The note has the reply’s own time, who said it, who added it, and the link to it.',
    async expect => {
      const room = roomOf(play);
      const root = await hands.says(alice, room, 'Release 1141 is rolled back. Does paying by card work again?');
      stage.clock.pass(2);
      reply = await hands.says(carol, room, 'Yes, no complaint since 02:19. PayPal never failed.', root);
      stage.clock.pass(3);
      await hands.choosesFromMenu(bob, reply, shortcut);
      const [note] = await notesOf();
      if (note === undefined) throw new Error('There is no such note on the timeline.');
      expect(Math.abs(Date.parse(note.eventTime) - Number(reply.ts) * 1000) < 1000, 'the time of the reply');
      expect(note.body.includes('carol') && note.body.includes('bob'), 'carol and bob in the note');
      expect(note.body.includes(reply.permalink), 'the link to the reply');
      expect(reply.reactions.length === 1, 'a mark under the reply that everybody sees');
    },
  );
  await steps.step('Adding it again adds nothing, and says so.', async expect => {
    if (reply === undefined) throw new Error('There is no reply.');
    await hands.choosesFromMenu(bob, reply, shortcut);
    expect((await notesOf()).length === 1, 'one such note on the timeline');
    expect(lastRead(play, bob, roomOf(play)).includes('already'), 'words that it is there already');
  });
}

/** A dashboard, loaded by whoever runs things, and a link to it that will still be right tomorrow. */
export async function dashboard(play: Play): Promise<void> {
  const { stage, hands, steps, transcript } = play;
  const { alice, bob } = stage.cast;
  stage.clock.pass(1);
  transcript.scene('A dashboard as evidence');
  await steps.step('The API took Muster’s own dashboard, over HTTP, and gives it back.', async expect => {
    const file = new URL('../../../../grafana/muster.dashboard.json', import.meta.url);
    const model: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
    transcript.does(stage.clock.now(), 'an operator', 'sends POST /api/dashboards/db', 'grafana/muster.dashboard.json');
    const saved = await stage.operator.Dashboards.save({
      dashboard: model,
      folderUid: '',
      overwrite: false,
      message: '',
    });
    const { status, uid, version } = saved;
    transcript.does(stage.clock.now(), 'The API', 'answers', `${status}: uid ${uid}, version ${version}`);
    const { dashboard } = await stage.operator.Dashboards.get({ uid });
    expect(isDeepStrictEqual(dashboard, { ...model, id: saved.id, version: 1 }), 'the same dashboard as its version 1');
  });
  await steps.step('The short link leads to the dashboard with fixed times, and the timeline has it.', async expect => {
    const room = roomOf(play);
    await hands.types(bob, room, '/dash link /d/muster/muster?from=now-1h&to=now');
    const posted = lastRead(play, alice, room);
    const uid = /\/goto\/([\w-]+)/.exec(posted)?.[1] ?? '';
    expect(uid !== '', 'a short link in the channel');
    expect(posted.includes('Muster'), 'the dashboard’s title in the channel');
    const { location } = await stage.operator.ShortUrls.goto({ uid });
    transcript.does(stage.clock.now(), 'The short link', 'leads to', location);
    expect(/\/d\/muster\/muster\?.*from=\d{13}&to=\d{13}/.test(location), 'an address with from and to as fixed times');
    const items = await readTimeline(stage.muster.api, incidentID);
    expect(
      items.some(item => item.body.includes(`/goto/${uid}`)),
      'the short link on the timeline',
    );
  });
}
