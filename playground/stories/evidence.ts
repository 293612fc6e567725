import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../fake-slack/fake-slack.ts';
import type { Scene } from '../story.ts';
import { findRoom, readTimeline } from './incident.ts';

const addToTimeline = { id: 'add_timeline', name: 'Add to timeline' };

export const thread: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob, carol } = cast;
  system.clock.pass(3);
  transcript.scene(
    'A reply worth keeping',
    'Carol’s answer will matter later. Bob puts it on the incident’s timeline.',
  );
  const readNotes = async () =>
    (await readTimeline(story)).filter(item => item.activityKind === 'userNote' && item.body.includes('since 02:19'));
  let reply: Message | undefined;
  await check('The note has the reply’s own time, who said it, who added it, and the link to it.', {
    act: async () => {
      const room = findRoom(story);
      const question = await alice.says(room, 'Release 1141 is rolled back. Does paying by card work again?');
      system.clock.pass(2);
      reply = await carol.answers(room, question, 'Yes, no complaint since 02:19. PayPal never failed.');
      system.clock.pass(3);
      await bob.choosesFromMenu(reply, 'carol’s message', addToTimeline);
    },
    look: async expect => {
      const [note] = await readNotes();
      if (note === undefined || reply === undefined) throw new Error('The timeline has no such note.');
      expect(Math.abs(Date.parse(note.eventTime) - Number(reply.ts) * 1000) < 1000, 'the time of the reply');
      expect(note.body.includes('carol') && note.body.includes('bob'), 'carol and bob in the note');
      expect(note.body.includes(reply.permalink), 'the link to the reply');
      expect(reply.reactions.length === 1, 'a mark under the reply that everybody sees');
    },
  });
  await check('Adding it again adds nothing, and Muster says so.', {
    act: async () => {
      if (reply === undefined) throw new Error('Carol has not answered.');
      await bob.choosesFromMenu(reply, 'the same message', addToTimeline);
    },
    look: async expect => {
      expect((await readNotes()).length === 1, 'one such note on the timeline');
      expect(bob.lastRead(findRoom(story)).includes('already'), 'words that it is there already');
    },
  });
};

export const dashboard: Scene = async story => {
  const { system, cast, check, transcript } = story;
  const { alice, bob } = cast;
  const { clock, operator } = system;
  clock.pass(1);
  transcript.scene(
    'A dashboard as evidence',
    'An operator uploads a dashboard to the API. Bob links the last hour of it, and the link keeps showing that hour.',
  );
  const file = new URL('../../grafana/muster.dashboard.json', import.meta.url);
  const model: Record<string, unknown> = JSON.parse(await readFile(file, 'utf8'));
  let saved: Awaited<ReturnType<typeof operator.Dashboards.save>> | undefined;
  await check('The API stores Muster’s own dashboard and returns the same one.', {
    act: async () => {
      transcript.does(clock.now(), 'an operator', 'sends POST /api/dashboards/db', 'grafana/muster.dashboard.json');
      saved = await operator.Dashboards.save({ dashboard: model, folderUid: '', overwrite: true, message: '' });
      transcript.does(clock.now(), 'the API', 'answers', `${saved.status}: uid ${saved.uid}, version ${saved.version}`);
    },
    look: async expect => {
      const { id, uid = '', version } = saved ?? {};
      const { dashboard } = await operator.Dashboards.get({ uid });
      expect(isDeepStrictEqual(dashboard, { ...model, id, version }), `the same dashboard as its version ${version}`);
    },
  });
  /** The uid of the short link that alice reads in the incident’s channel; `""` when there is none. */
  const readLink = () => /\/goto\/([\w-]+)/.exec(alice.lastRead(findRoom(story)))?.[1] ?? '';
  await check('The channel reads a short link to the dashboard.', {
    act: () => bob.types(findRoom(story), '/dash link /d/muster/muster?from=now-1h&to=now --window incident'),
    look: expect => {
      expect(readLink() !== '', 'a short link in the channel');
      expect(alice.lastRead(findRoom(story)).includes('Muster'), 'the dashboard’s title in the channel');
    },
  });
  let location = '';
  await check('It leads to the dashboard with fixed times, and is on the timeline.', {
    act: async () => {
      ({ location } = await operator.ShortUrls.goto({ uid: readLink() }));
      transcript.does(clock.now(), 'the short link', 'leads to', location);
    },
    look: async expect => {
      const isFixed = /\/d\/muster\/muster\?.*from=\d{13}&to=\d{13}/.test(location);
      expect(isFixed, 'an address with from and to as fixed times');
      const isThere = (await readTimeline(story)).some(item => item.body.includes(`/goto/${readLink()}`));
      expect(isThere, 'the short link on the timeline');
    },
  });
};
