import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { parseTime } from '../../../../src/bot/text/times.ts';
import { encodePeople } from '../../../support/peer-commands.ts';

const verbs = allVerbs(features);

/** What a line does: a verb, or what it is asked. A line without a slash is typed by mention. */
function said(line: string): string {
  const [, root = 'mention', text = line] = /^\/(\w+) ?(.*)$/s.exec(line) ?? [];
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(text) });
  if (parsed.kind === 'verb') return `${parsed.noun} ${parsed.verb}`;
  if (parsed.kind === 'unknown')
    return `asked ${parsed.readings.map(each => `${each.noun} ${each.verb}`).join(', ')}`.trim();
  return parsed.kind === 'bare' ? `bare ${parsed.noun ?? ''}`.trim() : parsed.kind;
}

/** Lines that people typed in reviews. */
const reviewed = [
  ['/incident declare “checkout is down” —severity major —now', 'incident declare'],
  ['/incident declare checkout is down –now', 'incident declare'],
  ['Resolve.', 'incident resolve'],
  ['/incident resolved', 'incident resolve'],
  ['/incident close', 'incident resolve'],
  ['/incident sev critical', 'incident severity'],
  ['declare: checkout is down', 'incident declare'],
  ['/note 23:20 primary was promoted', 'note add'],
  ['/note the pooler restarted —at 20 minutes ago', 'note add'],
  ['/task @bob restart the pooler 🙏', 'asked task add'],
  ['/role commander to @bob', 'role assign'],
  ['/role me comander', 'role assign'],
  ['/incident reslove', 'asked'],
  ['/incident serverity major', 'asked incident severity, incident declare'],
  ['/role asign commander', 'asked role assign'],
  ['/incident status?', 'incident status'],
  ['/incident Major.', 'incident severity'],
  ['Major.', 'incident severity'],
  ['add task call legal @bob', 'task add'],
  ['please add task call legal', 'task add'],
  ['/role assign me as incident commander please', 'role assign'],
  ['what is the status?', 'incident status'],
  ['who leads?', 'role list'],
  ['how long already?', 'incident status'],
  ['when is the next update?', 'incident status'],
  ['please resolve', 'incident resolve'],
  ['thanks!!', 'talk'],
  ['hello', 'talk'],
  ['/dash link nginx last 3 hours', 'dash link'],
  ['/dash link nginx --last 3h', 'dash link'],
  ['/dash link nginx from 23:00 to 23:20', 'dash link'],
  ['/dash link', 'dash link'],
  ['/note', 'bare note'],
  ['/task', 'bare task'],
  ['/note edit 1', 'asked note list, note add'],
  ['/incident', 'bare incident'],
] as const;

/** Lines of our own. */
const own = [
  ['/incident please resolve', 'incident resolve'],
  ['/incident list?', 'incident list'],
  ['/task list?', 'task list'],
  ['/role list?', 'role list'],
  ['/incident what’s going on?', 'incident status'],
  ['/incident who is in charge?', 'role list'],
  ['/incident how bad is it', 'incident status'],
  ['/incident critical', 'incident severity'],
  ['/incident minor.', 'incident severity'],
  ['/muster status?', 'incident status'],
  ['/muster hello', 'talk'],
  ['ok thanks', 'talk'],
  ['Good morning', 'talk'],
  ['cheers', 'talk'],
  ['ty!', 'talk'],
  ['any news?', 'incident status'],
  ['eta?', 'incident status'],
  ['is it fixed yet?', 'incident status'],
  ['are we back?', 'incident status'],
  ['what happened?', 'incident timeline'],
  ['what tasks are open?', 'task list'],
  ['what’s next?', 'task list'],
  ['who’s on it?', 'role list'],
  ['which incidents are active?', 'incident list'],
  ['hey, status?', 'incident status'],
  ['/dash link checkout overview last 3h', 'dash link'],
  ['/dash link https://wiki.acme.com/pooler Runbook', 'dash link'],
  ['/dash link nginx around the incident', 'dash link'],
  ['/dash link nginx --around', 'dash link'],
  ['/dash link nginx --from 23:00 --to 23:20', 'dash link'],
  ['/dash link nginx --since 22:50', 'dash link'],
  ['/dash nginx past 30 min', 'dash link'],
  ['/dash recent?', 'dash recent'],
  ['/task please add call legal', 'task add'],
  ['please task add call legal', 'task add'],
  ['/note please restart the pooler', 'note add'],
  ['/note thanks', 'note add'],
  ['/note add', 'note add'],
  ['/incident help', 'help'],
  ['/incident please help', 'help'],
  ['how long has it been going on?', 'incident status'],
  ['when did it start?', 'incident status'],
  ['what’s the latest?', 'incident status'],
  ['where do we stand?', 'incident status'],
  ['who is the commander?', 'role list'],
  ['what have we tried so far?', 'incident timeline'],
  ['how many tasks are open?', 'task list'],
  ['any updates?', 'incident status'],
  ['resolve', 'incident resolve'],
  ['ok, resolve', 'incident resolve'],
  ['pls resolve', 'incident resolve'],
  ['/incident sev2', 'incident severity'],
  ['sorry', 'talk'],
  ['never mind', 'talk'],
  ['got it', 'talk'],
  ['thank you all', 'talk'],
  ['/dash link nginx since the start', 'dash link'],
  ['/dash link nginx --window 30m', 'dash link'],
  ['/dash share nginx the last hour', 'dash link'],
  ['/dash show checkout overview', 'dash show'],
  ['@bob is commander', 'role assign'],
  ['bob is commander', 'role assign'],
  ['make @bob commander', 'role assign'],
  ['@bob commander', 'role assign'],
  ['@bob is the incident commander now', 'role assign'],
  ['@bob is now commander', 'role assign'],
  ['@bob as scribe', 'role assign'],
  ['@bob takes command.', 'role assign'],
  ['@bob is in charge', 'role assign'],
  ['@bob will lead', 'role assign'],
  ['give @bob the lead', 'role assign'],
  ['let @bob be commander', 'role assign'],
  ['/incident @bob is commander', 'role assign'],
  ['who is commander?', 'role list'],
  ['is @bob commander?', 'asked role list, incident status, note add'],
  ['@bob is down', 'asked incident declare, note add'],
  ['nobody is commander', 'asked incident declare, note add'],
  ['it is the lead', 'asked incident declare, note add'],
] as const;

test.each([...reviewed, ...own])('%s → %s', (line, wanted) => {
  expect(said(line)).toBe(wanted);
});

test.each([
  ['14h30', '14:30'],
  ['23h20', '23:20'],
  ['23.10 Uhr', '23:10'],
  ['23.10', '23:10'],
  ['at 23.10', '23:10'],
  ['23:10 Uhr', '23:10'],
  ['23 Uhr', '23:00'],
  ['14.30', '14:30'],
  ['2:30 pm', '14:30'],
  ['2pm', '14:00'],
  ['at 2pm', '14:00'],
  ['noon', '12:00'],
  ['half past two in the afternoon', '14:30'],
  ['10 min ago', '23:20'],
  ['20 minutes ago', '23:10'],
  ['half an hour ago', '23:00'],
  ['an hour ago', '22:30'],
  ['now', '23:30'],
  ['yesterday 23:50', '23:50'],
  ['yesterday at 14h30', '14:30'],
])('the time “%s” is %s', (typed, clock) => {
  const read = parseTime(typed, { now: new Date('2026-11-24T23:30:00Z'), timeZone: 'UTC' });
  expect('problem' in read ? read.problem : read.at.toISOString().slice(11, 16)).toBe(clock);
});

test('there are as many lines as people typed, and sixty of our own', () => {
  expect(new Set([...reviewed, ...own].map(([line]) => line)).size).toBe(reviewed.length + own.length);
  expect(own.length).toBeGreaterThanOrEqual(60);
});
