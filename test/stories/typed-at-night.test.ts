import { expect, test } from 'vitest';
import { addTasks, typingAt } from '../support/said-and-done.ts';
import { openVerbs, shareVerbs } from '../support/verbs.ts';

/** A line of a tired person, and what it is for. */
type Row = readonly [
  where: 'room' | 'thread' | 'channel' | 'direct',
  line: string,
  /** All that it changes, the form that opens, the button that it offers among others, or how the answer begins. */
  wanted: string,
  /** Words that the answer has, where they matter. */
  says?: RegExp | undefined,
  /** Words that no answer to it has. */
  never?: RegExp,
];

const declares = /Declare/;
const ends = /\/incident (?:cancel|resolve)|\[Resolve|\[By mistake/;
const wakes = /\[\/incident (?:page|call)|\[Page /;
const publishes = /\[\/incident (?:update|say|brief|post)/;
const dashboards = /dash/;

/**
 * Lines that people type at three in the morning, in each place where they can. They were written before they were tried; what they change is
 * all of it.
 */
const lines: readonly Row[] = [
  // In the room of the incident, as commands.
  ['room', '/incident whats going on', 'shows ⚪ PENDING · Checkout answers 500'],
  ['room', '/incident who is doing what', 'shows ', /Roles of incident 1|nobody/],
  ['room', '/note db failed over, we think', 'note 11-20T12:15 db failed over, we think'],
  ['room', '/note resolve the ticket with AWS', 'note 11-20T12:15 resolve the ticket with AWS'],
  ['room', '/note /incident resolve did not work', 'note 11-20T12:15 /incident resolve did not work'],
  ['room', '/task add page the dba if lag > 5 min', 'task page the dba if lag > 5 min'],
  ['room', '/task add ask @bob to cancel the deploy', 'task ask @bob to cancel the deploy'],
  ['room', '/task rm 1', 'asks [/task delete 1]', undefined, dashboards],
  ['room', '/task rm the bank', 'asks [/task delete the bank]', undefined, dashboards],
  ['room', '/incident rm 1', 'asks [/task delete 1]', /cannot be deleted/, dashboards],
  ['room', '/incident rm', 'refuses: Incidents cannot be deleted', undefined, dashboards],
  ['room', '/incident sev2 now', 'severity major'],
  ['room', '/incident severity is critical', 'severity critical'],
  ['room', '/incident severity down to minor', 'severity minor'],
  ['room', '/incident cancel the deploy', 'shows Incident 1', /Nothing was changed/],
  ['room', '/incident cancel the meeting planned for today', 'shows Incident 1', /Nothing was changed/],
  ['room', '/incident cancel my 3pm meeting', 'shows Incident 1', /Nothing was changed/],
  ['room', '/incident cancel tomorrows deploy window', 'shows Incident 1', /Nothing was changed/],
  [
    'room',
    '/incident cancel was a probe',
    'status resolved; label declared-by-mistake; note 11-20T12:15 Declared by mistake: was a probe',
  ],
  ['room', '/incident end the call', 'shows Incident 1', /Nothing was changed/],
  ['room', '/incident close task 1', 'shows Incident 1', /\/task done 1/],
  ['room', '/incident open task 1', 'asks [/task reopen 1]'],
  ['room', '/incident close the circuit breaker', 'form Resolve the incident'],
  ['room', '/incident stop', 'asks [Add it as a note: stop]', undefined, /Declare|\[\/incident (?:cancel|resolve)/],
  ['room', '/incident pgae sre', 'asks [Add it as a note: pgae sre]', /[Nn]obody was paged/, wakes],
  [
    'room',
    '/incident udpate we roll back',
    'asks [Add it as a note: udpate we roll back]',
    /\/incident update/,
    publishes,
  ],
  ['room', '/incident brief the CEO', 'asks ', /posted|changed/],
  ['room', '/incident notify sre', 'asks ', /[Nn]obody was (?:told|notified|called)/, wakes],
  ['room', '/incident alert the dba', 'shows ', undefined, wakes],
  ['room', '/incident ping @bob', 'asks ', /\/incident call/, wakes],
  ['room', '/incident page the sre db', 'refuses: No pager is set up', /paged/],
  [
    'room',
    '/incident 2 page sre the db is full',
    'asks [Add it as a note: 2 page sre the db is full]',
    undefined,
    declares,
  ],
  ['room', '/incident resolve --now 2', 'refuses: There is no incident 2', undefined, /\[\/incident resolve/],
  ['room', '/incident cancel 2', 'refuses: There is no incident 2', undefined, /\[\/incident cancel/],

  // In the room, by mention.
  ['room', 'help!', 'shows ', /Muster runs incidents/],
  ['room', 'help me', 'shows ', /Muster runs incidents/],
  ['room', 'resolve it?', 'asks [/incident resolve]'],
  ['room', 'did bob resolve it?', 'asks [/incident status]', undefined, ends],
  ['room', 'should we cancel?', 'asks [/incident cancel]'],
  ['room', 'no dont resolve yet', 'asks [Add it as a note: no dont resolve yet]', undefined, ends],
  ['room', 'i am so tired', 'asks [Add it as a note: i am so tired]', undefined, declares],
  ['room', 'sorry wrong channel', 'asks [Add it as a note: sorry wrong channel]', undefined, declares],
  ['room', 'nevermind', 'shows OK.'],
  ['room', 'note: bob says resolve when lag < 1s', 'note 11-20T12:15 bob says resolve when lag < 1s'],
  ['room', 'severity is critical now', 'severity critical'],
  [
    'room',
    '@bob the pager is going off again',
    'asks [Add it as a note: @bob the pager is going off again]',
    undefined,
    wakes,
  ],
  ['room', '@bob check the pods', 'asks [Add it as a note: @bob check the pods]', undefined, /\/task done/],
  ['room', 'archive', 'asks [/incident archive]', undefined, /\/role archive/],

  // In a thread, where no command can be typed.
  ['thread', 'note we restarted db-3', 'note 11-20T12:15 we restarted db-3'],
  ['thread', 'task check db-3 @bob', 'task check db-3 (bob)'],
  ['thread', 'status', 'shows ⚪ PENDING · Checkout answers 500'],
  ['thread', 'resolve', 'asks [Open the form]'],
  ['thread', 'thanks, that worked', 'asks [Add it as a note: thanks, that worked]', undefined, declares],
  ['thread', 'cancel that', 'asks [/incident cancel that]'],

  // In a channel without an incident.
  ['channel', '/incident resolve', 'asks ', /Which one do you mean/],
  ['channel', '/incident cancel', 'asks ', /Which one do you mean/],
  ['channel', '/note we restarted db-3', 'asks ', /Which one do you mean/],
  ['channel', '/incident update all good', 'asks ', /Which one do you mean/],
  ['channel', '/incident search is down', 'shows ', undefined, ends],
  ['channel', '/incident 1 severity major', 'severity major'],
  ['channel', '/incident help', 'shows ', /This channel has no incident/],

  // To Muster alone.
  ['direct', 'note rolled back --incident 1', 'note 11-20T12:15 rolled back'],
  ['direct', 'who is on call', 'shows ', /calls no group|called now/],
  ['direct', 'status 1', 'shows ⚪ PENDING · Checkout answers 500'],
  ['direct', 'resolve', 'asks ', /Which one do you mean/],
  ['direct', 'cancel 1', 'status resolved; label declared-by-mistake; note 11-20T12:15 Declared by mistake'],
];

/** Lines of reviews that were read wrongly once, with their numbers. */
const reviewed: readonly Row[] = [
  // D-T1, D-T2
  ['room', '/task add check pods @bob by 14:00', 'task check pods by 14:00 (bob)'],
  ['room', '/task add check pods @bob please', 'task check pods (bob)'],
  ['room', '/task add ask @bob by 14:00', 'task ask @bob by 14:00'],
  ['room', '/task add check pods, @bob', 'task check pods (bob)'],
  ['room', '/task add wait for @bob', 'task wait for @bob'],
  // D-T3
  ['room', 'can you resolve this', 'asks [/incident resolve]', undefined, /\/incident cancel/],
  ['room', 'can you call @sre?', 'asks [/incident call @sre', undefined, /\/incident cancel/],
  // D-T6
  ['room', '/incident resolve at 12:15 UTC --now', 'status resolved', /ended|resolved/],
  ['room', '/incident resolve at 9:10 UTC --now', 'refuses: I did not resolve anything'],
  // D-T7
  [
    'room',
    '/incident declare db down --now --label db, checkout',
    '2: title db down; 2: severity pending; 2: status active; 2: label db; 2: label checkout',
  ],
  // D-T9, D-T10, D-T11, D-T12
  ['room', 'note rolled back @muster', 'note 11-20T12:15 rolled back'],
  ['room', 'write down that the pool was full', 'asks [Add it as a note: the pool was full]'],
  ['room', '/note help!', 'shows ', /\/note/],
  [
    'room',
    '/incident update still down. next update in 15 min',
    'note 11-20T12:15 📣 still down. next update in 15 min',
    /next by/,
  ],
  [
    'room',
    '/incident update the next update in the docs is wrong',
    'note 11-20T12:15 📣 the next update in the docs is wrong',
    undefined,
    /next by/,
  ],
  // D-T13
  [
    'room',
    '/dash link https://grafana.example.net/d/abc/checkout last 3h',
    'note 11-20T12:15 Link “grafana.example.net/…/checkout”: https://grafana.example.net/d/abc/checkout',
    /left the time out/,
  ],
  // D-T20
  ['channel', '/incident cancel 1', 'status resolved; label declared-by-mistake; note 11-20T12:15 Declared by mistake'],
  // Low ones below that table.
  ['room', '/incident declare x --now. --severity major.', '2: title x; 2: severity major; 2: status active'],
  ['room', 'hand over to @bob', 'commander bob'],
  ['room', 'link https://example.org/x', 'asks [/dash link https://example.org/x]', undefined, /The list names/],
  ['room', '/incident one', 'asks [Add it as a note: one]', undefined, /\/task done/],
];

/** The incident of the lines that change nothing. Each other line has an incident of its own. */
const shared = shareVerbs({}, addTasks);

test.each(
  [...lines, ...reviewed].map(([where, line, wanted, says = /./, never = /^\b$/]) => ({
    where,
    line,
    wanted,
    says,
    never,
  })),
)('$where: $line → $wanted', async ({ where, line, wanted, says, never }) => {
  const isIdle = /^(asks|form|shows) |^refuses:/.test(wanted);
  const verbs = isIdle ? shared() : await openVerbs();
  if (!isIdle) await addTasks(verbs);
  const { done, said } = await typingAt(verbs)(where, line);
  const [kind = '', ...buttons] = wanted.split(/ (?=\[)/);
  if (buttons.length > 0) {
    expect(done.slice(0, kind.length)).toBe(kind);
    for (const button of buttons) expect(done).toContain(button);
  } else expect(isIdle ? done.slice(0, wanted.length) : done).toBe(wanted);
  if (!wanted.startsWith('form')) expect(said).toMatch(says);
  expect(said).not.toMatch(never);
});

test('there are sixty lines, of each place where people type', () => {
  expect(new Set(lines.map(([where, line]) => `${where} ${line}`)).size).toBe(lines.length);
  expect(lines.length).toBeGreaterThanOrEqual(60);
  expect([...new Set(lines.map(([where]) => where))]).toEqual(['room', 'thread', 'channel', 'direct']);
});
