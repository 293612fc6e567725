import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Person } from '../../playground/fake-slack/fake-slack.ts';
import { patient } from '../support/deadlines.ts';
import { openFolder } from '../support/folder.ts';
import { grants } from '../support/grants.ts';
import { notesOf, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { tablesWith } from '../support/stored-words.ts';
import { openInstalledSlack } from '../support/workplace.ts';

type Upload = Parameters<Person['upload']>[1];

/** An incident, and files that are noted. */
async function openRoom(options: Parameters<typeof openIncident>[0] = {}) {
  const incident = await openIncident(options);
  const { place, slack, alice, bob, home } = incident;
  return {
    ...incident,
    bodies: async () => (await notesOf(place, '1')).map(note => note.body),
    /** Bob posts a file, and alice adds the message. */
    note: async (file: Upload, text = '') => {
      const message = bob.upload(home, file, text);
      await alice.shortcut('add_timeline', message);
      await place.quiet();
      return message;
    },
    reads: () => slack.callsOf('url_private').length,
  };
}

const log = { name: 'nginx.log', mimetype: 'text/plain', content: '12:01 upstream timed out\n12:02 ```\n' };
const keptLog = 'nginx.log:\n````\n12:01 upstream timed out\n12:02 ```\n````';

test('what a small text file says stands in the note, and stays when the message is edited', async () => {
  const { note, bodies, bob, slack, place, wait } = await openRoom();
  const message = await note(log, 'this is it');
  const link = /File: nginx\.log https:\S+/;
  const [body = ''] = await bodies();
  expect(body).toMatch(link);
  expect(body).toContain(`this is it\n\n${link.exec(body)?.[0]}\n\n${keptLog}\n\n— said by bob`);
  expect(slack.callsOf('url_private').map(each => each.token)).toEqual([slack.botToken]);
  wait(1);
  bob.editMessage(message, 'this was it');
  await slack.settled();
  await place.quiet();
  const [edited = ''] = await bodies();
  expect(edited).toContain('this was it\n\nFile: nginx.log');
  expect(edited).toContain(`${keptLog}\n\n${phrases.saidByBob}, edited by bob`);
});

test('a reaction keeps it too, and so does a declaration from the message', async () => {
  const { bodies, alice, bob, home, general, slack, place, submit, act } = await openRoom();
  alice.react(bob.upload(home, log), 'memo');
  await slack.settled();
  await place.quiet();
  expect((await bodies())[0]).toContain(keptLog);
  alice.invite(general, slack.botUserId);
  await act(() => alice.shortcut('declare_message', bob.upload(general, log, 'a second fire')));
  await submit({ title: 'Second fire' });
  expect((await notesOf(place, '2'))[0]?.body).toContain(keptLog);
});

test.each<[string, Upload]>([
  ['a large one', { ...log, content: 'x'.repeat(4097) }],
  ['one that does not fit between its lines', { ...log, content: 'x'.repeat(4096) }],
  ['an image', { name: 'graph.png', mimetype: 'image/png', content: 'png' }],
  ['bytes under the name of a text', { ...log, content: 'a\0b' }],
  ['an empty one', { ...log, content: ' \n' }],
  ['one that lives elsewhere', { ...log, url: 'http://127.0.0.1:1/files-pri/T1-F1/a.log' }],
])('of %s the note has the name and link alone', async (_what, file) => {
  const { note, bodies, place } = await openRoom();
  await note(file, 'look');
  const [body = ''] = await bodies();
  expect(body).toContain(`File: ${file.name} https://`);
  expect(body).not.toContain('```');
  expect(place.troubles).toEqual([]);
});

test('a large file and an image are not even asked for', async () => {
  const { note, slack } = await openRoom();
  await note({ ...log, content: 'x'.repeat(4097) });
  await note({ name: 'graph.png', mimetype: 'image/png', content: 'png' });
  expect(slack.callsOf('files.info')).toEqual([]);
});

test('without the scope, and where Slack does not give it, the note has the name and link', async () => {
  const clock = () => new Date('2026-11-20T14:00:00Z');
  const scopes = grants.scopes.filter(each => each !== 'files:read');
  const slack = await openInstalledSlack(clock, { scopes });
  const poor = await openRoom({ slack, clock });
  await poor.note(log, 'look');
  expect((await poor.bodies())[0]).toMatch(/^look\n\nFile: nginx\.log \S+\n\n— said by bob/);
  const { note, bodies, slack: rich } = await openRoom();
  rich.fail('url_private', { status: 302, body: '' });
  await note(log, 'look');
  expect((await bodies())[0]).toMatch(/^look\n\nFile: nginx\.log \S+\n\n— said by bob/);
});

test('a note waits for its file, and not longer than its deadline', async () => {
  const deadlines = patient({ noteFiles: 50 });
  const { note, bodies, slack, alice, place, home } = await openRoom({ deadlines });
  // The file comes after the test would have been given up.
  slack.fail('url_private', { delayMs: 120_000 });
  await note(log, 'look');
  expect((await bodies())[0]).toMatch(/^look\n\nFile: nginx\.log \S+\n\n— said by bob/);
  expect(place.lastRead(alice, home.id)).toContain('look');
  expect(place.troubles).toEqual([]);
});

test('a secret in a file is asked about before it is stored', async () => {
  const key = ['AKIA', 'Q3EGRIZ5', 'TLMNOP7X'].join('');
  const database = join(await openFolder(), 'muster.db');
  const { note, bodies, last, press, reads } = await openRoom({ databaseFile: database });
  await note({ ...log, content: `aws_access_key_id = ${key}\n` }, 'the settings');
  expect(last().text).toContain('I did not add “the settings');
  expect(last().text).toContain('and what its file says');
  expect(last().text).toContain('AWS key');
  expect(await bodies()).toEqual([]);
  expect(tablesWith(database, key)).toEqual(['bot_draft']);
  await press(last(), 'Redact');
  expect((await bodies())[0]).toContain('```\naws_access_key_id = [redacted: AWS key]\n```');
  expect(tablesWith(database, key)).toEqual([]);
  expect(reads()).toBe(1);
});

test('an e-mail to the channel, a voice clip and a plan of an app are noted as people read them', async () => {
  const { note, bodies, slack, alice, home, place } = await openRoom();
  const words = { subject: 'ALARM /data', from: 'mon@x.example', text: 'The volume is 99 % full' };
  const mail = { name: 'ALARM', content: 'ALARM', mimetype: 'text/html', email: words };
  await alice.shortcut('add_timeline', slack.person('slackbot').upload(home, mail));
  await place.quiet();
  await note({ name: 'audio.m4a', content: 'm4a', mimetype: 'audio/mp4', spoken: 'the primary is read only' });
  const app = slack.addPerson({ name: 'agent', isBot: true });
  app.join(home);
  const tasks = [{ type: 'task_card', task_id: '1', title: 'Restart the pool', status: 'complete' }];
  await alice.shortcut(
    'add_timeline',
    app.say(home, '', { blocks: [{ type: 'plan', title: 'Looking into it', tasks }] }),
  );
  await place.quiet();
  const [ofMail, ofClip, ofPlan] = await bodies();
  for (const each of Object.values(words)) expect(ofMail).toContain(each);
  expect(ofClip).toContain('the primary is read only');
  expect(ofPlan).toMatch(/Looking into it[\s\S]*Restart the pool/);
});

test('a file that Slack describes only when it is asked is noted by its name, its link and its words', async () => {
  const { note, bodies, bob, slack, place, wait } = await openRoom();
  const message = await note({ ...log, isStub: true }, 'this is it');
  expect((await bodies())[0]).toMatch(/this is it\n\nFile: nginx\.log https:\S+/);
  expect((await bodies())[0]).toContain(keptLog);
  wait(1);
  bob.editMessage(message, 'this was it');
  await slack.settled();
  await place.quiet();
  expect((await bodies())[0]).toMatch(/this was it\n\nFile: nginx\.log https:\S+/);
  slack.fail('files.info', { error: 'file_not_found' }, { times: 10 });
  await note({ ...log, isStub: true }, 'and this');
  expect((await bodies())[1]).toContain('File: file');
});
