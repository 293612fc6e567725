import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sources } from '../../support/imports.ts';

const root = join(import.meta.dirname, '../../..');

/** What puts words where a whole channel, or another person, reads them. */
const post =
  /\b(?:postOnce|editPost|postBoard|editBoard|showOneMessage|writeLine|answerOpenly|sendDirectly|sendOnceDirectly|editDirectly)\(|\.(?:chat\.(?:postMessage|postEphemeral|update)|conversations\.setTopic|bookmarks\.add)\(/;

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The declarations of a file that post, each as `file, name`, with its text. */
function postingIn(path: string): readonly { name: string; text: string }[] {
  const source = read(path);
  const heads = [...source.matchAll(/^(?:export )?(?:async )?(?:function|const|class) (\w+)/gm)];
  return heads
    .map((head, index) => ({ name: head[1] ?? '', text: source.slice(head.index, heads[index + 1]?.index) }))
    .filter(({ text }) => post.test(text))
    .map(({ name, text }) => ({ name: `${path.replace('src/bot/', '')}, ${name}`, text }));
}

const ours = sources.filter(path => path.startsWith('src/bot/'));
const posting = ours.flatMap(postingIn);

/** What posts without asking what its readers may see, and why it may. */
const exempt: Readonly<Record<string, string>> = {
  'dispatch/answers/tell-person.ts, tellPerson': 'it answers the person who acts, and nobody else',
  'incident/board/messages.ts, postBoard': 'it posts what its callers may show; each of them is judged below',
  'incident/lines/sender.ts, writeLine': 'it writes what `say` may show',
  'incident/room/set-up.ts, bookmark': 'in the room that was just made, under the name “Incident”',
  'slack/answer.ts, answerOpenly': 'it posts what its callers may show; each of them is judged below',
  'slack/answer.ts, sendDirectly': 'a direct message; each of its callers is judged below',
  'slack/answer.ts, editDirectly': 'a direct message; each of its callers is judged below',
  'slack/answer.ts, sendOnceDirectly': 'a direct message; each of its callers is judged below',
  'features/call/answer.ts, askPeople':
    'of a private incident, to those who are in its channel; it asks `visibility.isPrivate`',
  'features/call/intents.ts, takeCallBack': 'to those who were asked, and it names nothing but the number',
  'features/call/intents.ts, tellOver': 'to those who were asked, and it names nothing but the number',
  'slack/post-once.ts, editPost': 'how a message is edited; everybody who calls it is judged here',
  'slack/post-once.ts, postOnce': 'how a message is posted; everybody who calls it is judged here',
  'duties/reminders.ts, Reminders': 'a direct message to a person of whom `visibility.sees` says that they see it',
  'dispatch/surfaces/post-to-channel.ts, postWords':
    'it posts what a feature made for all; each of those is judged below',
  'features/record/feature.ts, postRecord': 'a direct message to the person who asks, who sees the incident',
  'incident/room/come-back.ts, Presence':
    'a direct message to the person who acted in the room; it names no more than the number',
  'incident/room/invite.ts, tellDirectly': 'to somebody of whom `visibility.sees` says that they see it',
  'alerts/refusals.ts, tellOfRefusal': 'it names no source and no reason where outsiders read',
  'incident/board/next-steps/next-steps.ts, rewrite':
    'it writes what its callers may show, or that there is nothing to show',
  'incident/board/next-steps/next-steps.ts, show': 'it posts what `showNextSteps` may show',
  'incident/board/round.ts, showParted': 'in the channel that was its room, and it names nothing but the number',
  'incident/board/round.ts, postAgain': 'it posts once more what its caller may show',
  'incident/board/group-messages.ts, showAlertOffer':
    'the words of a tool; `offerIncident` asks before they name an incident',
  'incident/board/group-messages.ts, showBurst':
    'each line asks `visibility.share` for its incident before it is shown',
  'incident/board/messages.ts, showOneMessage': 'it shows what its callers may show; each of them is judged here',
  'incident/board/messages.ts, editBoard': 'it writes what its callers may show; each of them is judged here',
  'inbox/listen.ts, answerApp': 'below the message of an app, and it names nothing',
  'incident/lines/sender.ts, say': 'it asks `mayRead`',
  'incident/lines/sender.ts, tellUnsaid': 'a direct message to the person whose change it is',
  'incident/room/link.ts, linkRoom': 'it asks `visibility.shareAsRoom`, since the channel is not its room yet',
  'incident/room/link.ts, partRoom': 'in the channel that was its room, and it names nothing but the number',
  'slack/post-once.ts, withdrawPost': 'it leaves nothing of the incident',
};

test('nothing is said to a whole channel in answer to a command', () => {
  const loud = ours.filter(path => /response_type:\s*'in_channel'/.test(read(path)));
  expect(loud).toEqual([]);
});

test('what a person can post to a channel asks what its readers may see', () => {
  const postable = ours.filter(path => /= definePostable\(/.test(read(path)));
  expect(postable.map(path => path.replace('src/bot/features/', ''))).toEqual([
    'src/bot/dispatch/surfaces/incident-list.ts',
    'catchup/feature.ts',
    'status/list.ts',
    'status/words.ts',
  ]);
  const silent = postable.filter(path => !/\bvisibility\.share\(|\bwhyNotPublic\(ctx/.test(read(path)));
  expect(silent).toEqual([]);
});

test('what posts in a channel asks what its readers may see', () => {
  const silent = posting.filter(({ text }) => !/\bvisibility\.share\(/.test(text)).map(({ name }) => name);
  expect(silent.toSorted()).toEqual(Object.keys(exempt).toSorted());
});
