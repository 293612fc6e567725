import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { encodePeople } from '../../../support/peer-commands.ts';
import { talk } from '../../../support/talk.ts';

const verbs = allVerbs(features);

/** What a line does: a verb, small talk, or nothing unasked. */
function said(root: string, text: string): string {
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(text) });
  if (parsed.kind === 'help') return `help ${parsed.noun ?? ''} ${parsed.verb ?? ''}`.trim();
  if (parsed.kind === 'verb') return `${parsed.noun} ${parsed.verb} ${parsed.args.raw}`.trim();
  return parsed.kind;
}

test.each([
  ['what is the status?', 'incident status'],
  ['What’s the status??', 'incident status'],
  ['whats the status', 'incident status'],
  ['hey, what is the status right now?', 'incident status'],
  ['status?', 'incident status'],
  ['any news?', 'incident status'],
  ['any update', 'unknown'],
  ['any updates yet?', 'incident status'],
  ['how bad is it?', 'incident status'],
  ['how long already?', 'incident status'],
  ['how long has this been going on?', 'incident status'],
  ['how much longer?', 'incident status'],
  ['since when?', 'incident status'],
  ['since when is it down?', 'incident status'],
  ['when did it start?', 'incident status'],
  ['when is the next update?', 'incident status'],
  ['when’s the next update due?', 'incident status'],
  ['next update?', 'incident status'],
  ['what is going on?', 'incident status'],
  ['what’s up?', 'incident status'],
  ['where are we?', 'incident status'],
  ['where do we stand?', 'incident status'],
  ['is it fixed?', 'incident status'],
  ['is this still going on?', 'incident status'],
  ['are we back up?', 'incident status'],
  ['what is the severity?', 'incident status'],
  ['eta?', 'incident status'],
  ['who leads?', 'role list'],
  ['who leads', 'role list'],
  ['who is leading this?', 'role list'],
  ['who’s in charge?', 'role list'],
  ['who is the incident commander?', 'role list'],
  ['who does what?', 'role list'],
  ['who’s on it?', 'role list'],
  ['what tasks are open?', 'task list'],
  ['which tasks are left?', 'task list'],
  ['what’s left to do?', 'task list'],
  ['what is next?', 'task list'],
  ['what happened so far?', 'incident timeline'],
  ['what have we tried?', 'incident timeline'],
  ['which incidents are open?', 'incident list'],
  ['are there any other incidents?', 'incident list'],
  ['what alerts does this incident have?', 'incident alerts'],
  ['which alerts are firing', 'incident alerts'],
  ['any alerts?', 'incident alerts'],
  ['how many alerts are there?', 'incident alerts'],
  ['is the alert still firing?', 'incident alerts'],
  ['did the alert end?', 'incident alerts'],
  ['what still fires?', 'incident alerts'],
  ['show the alerts', 'incident alerts'],
  ['show me the alerts', 'incident alerts'],
  ['show me the timeline', 'incident timeline'],
  ['what alerts should we add to the shop?', 'unknown'],
  ['is the alert noise a problem?', 'unknown'],
  ['show the alerts that we added for the shop', 'unknown'],
  ['what is the weather?', 'unknown'],
  ['who broke the build?', 'role list broke the build?'],
  ['how do I restart the pooler?', 'unknown'],
  ['when did you deploy release 1098 to the canary hosts?', 'unknown'],
  ['is bob there?', 'unknown'],
] as const)('by mention, “%s” is %s', (line, wanted) => {
  expect(said('mention', line)).toBe(wanted);
});

test.each([
  ['who is on call', 'incident oncall'],
  ['Who is on call?', 'incident oncall'],
  ['who’s on duty for the database?', 'incident oncall'],
  ['is anybody on-call now?', 'incident oncall'],
  ['what is the status of 22?', 'incident status'],
  ['status of INC-22?', 'incident status'],
  ['how bad is #22', 'incident status'],
  ['is 22 fixed yet?', 'incident status'],
  ['who leads 22?', 'role list'],
  ['which tasks are open in 22?', 'task list'],
  ['what happened in incident 22?', 'incident timeline'],
  ['what alerts does 22 have?', 'incident alerts'],
] as const)('“%s” is answered by what it asks: %s', (line, wanted) => {
  for (const root of ['mention', 'incident', 'muster']) {
    const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: line });
    expect(parsed.kind === 'verb' && `${parsed.noun} ${parsed.verb} ${parsed.args.raw}`.trim()).toBe(wanted);
    const named = parsed.kind === 'verb' ? parsed.named : undefined;
    expect(named?.isCertain && named.reference.id).toBe(line.includes('22') ? '22' : undefined);
  }
});

test.each([
  ['incident', 'alerts', 'incident alerts'],
  ['incident', 'alert', 'incident alerts'],
  ['incident', 'alerts 7', 'incident alerts'],
  ['incident', 'alert INC-7', 'incident alerts'],
  ['incident', '7 alerts', 'incident alerts'],
  ['incident', 'show alerts', 'incident alerts'],
  ['incident', 'view the alerts', 'incident alerts'],
  ['incident', 'what alerts does this incident have?', 'incident alerts'],
  ['muster', 'alerts', 'incident alerts'],
  ['incident', 'show record', 'incident record'],
  ['task', 'show the alerts', 'task list the alerts'],
  ['mention', 'how do I close this?', 'help incident resolve'],
  ['muster', 'how do I close this', 'help incident resolve'],
  ['incident', 'how to resolve', 'help incident resolve'],
  ['mention', 'How can I declare an incident?', 'help incident declare'],
  ['mention', 'hey, how do we add a task?', 'help task add'],
  ['task', 'how do I assign one?', 'help task assign'],
  ['mention', 'how should I assign a role?', 'help role assign'],
  ['incident', 'how do I set the severity?', 'help incident severity'],
  ['mention', 'how do you link a dashboard?', 'help dash link'],
  ['mention', 'how do I add a note', 'help note add'],
  ['muster', 'how do I reopen it?', 'help incident reopen'],
  ['mention', 'how do I change the title?', 'help incident title'],
  ['incident', 'how do I post an update?', 'help incident update'],
  ['mention', 'how do I give somebody a role?', 'unknown'],
  ['mention', 'how do tasks work?', 'help task'],
  ['mention', 'how do I restart the pooler?', 'unknown'],
  ['incident', 'how do I tell the customers?', 'unknown'],
  ['note', 'how do I close this?', 'note add how do I close this?'],
] as const)('/%s %s: the way is shown, and nothing is done: %s', (root, line, wanted) => {
  expect(said(root, line)).toBe(wanted);
});

test.each([
  ['incident', 'status?', 'incident status'],
  ['incident', 'who leads?', 'role list'],
  ['incident', 'what is the status?', 'incident status'],
  ['incident', 'list?', 'incident list'],
  ['task', 'list?', 'task list'],
  ['role', 'list?', 'role list'],
  ['dash', 'recent?', 'dash recent'],
  ['incident', 'please resolve', 'incident resolve'],
  ['mention', 'please resolve', 'incident resolve'],
  ['mention', 'Please add task call legal', 'task add call legal'],
  ['mention', 'hey, task add call legal', 'task add call legal'],
  ['mention', 'ok resolve', 'incident resolve'],
  ['task', 'please add call legal', 'task add call legal'],
  ['incident', 'Major.', 'incident severity major'],
  ['mention', 'Major.', 'incident severity major'],
  ['incident', 'critical!', 'incident severity critical'],
  ['incident', 'SEV-2', 'incident severity sev2'],
  ['incident', 'update --severity minor Errors fall', 'incident update --severity minor Errors fall'],
  ['incident', 'update —severity minor Errors fall', 'incident update —severity minor Errors fall'],
  ['mention', 'thanks!!', 'talk'],
  ['mention', 'Thank you so much :pray:', 'talk'],
  ['mention', 'ok cool', 'talk'],
  ['mention', 'hello', 'talk'],
  ['mention', 'Good morning everyone!', 'talk'],
  ['incident', 'thx', 'talk'],
  ['mention', 'never mind', 'talk'],
] as const)('/%s %s: %s', (root, line, wanted) => {
  expect(said(root, line)).toBe(wanted);
});

test.each([
  ['incident', 'resolve?'],
  ['task', 'done?'],
  ['mention', 'resolve?'],
  ['mention', 'major?'],
  ['incident', 'major outage in Berlin'],
  ['incident', 'please restart the pooler'],
  ['mention', 'thanks for the fish, the disk is full'],
  ['mention', 'hello world is down'],
])('/%s %s changes nothing unasked', (root, line) => {
  expect(said(root, line)).toBe('unknown');
});

test('a note that asks nicely is a note, word for word', () => {
  expect(said('note', 'please restart the pooler')).toBe('note add please restart the pooler');
  expect(said('note', 'thanks')).toBe('note add thanks');
});

test('talk about the bot changes nothing, however nicely it begins', () => {
  const writes = verbs.filter(each => !each.reads).map(each => `${each.noun} ${each.verb}`);
  const changes = talk.filter(line => {
    const act = said('mention', line).split(' ').slice(0, 2).join(' ');
    return writes.includes(act);
  });
  expect(changes).toEqual([]);
});
