import { expect, test } from 'vitest';
import { keepFor } from '../../../src/bot/keep-for.ts';
import { slackLimits } from '../../../src/bot/slack/limits.ts';
import { usualPace } from '../../../src/config/team-settings.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { read } from '../../support/docs/files.ts';

/* The figures of the documents are those of the code: each sentence here has a `#` for each figure, which the code gives. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The number that a file calls so, as in `const name = 5 * minute;` or `name: 20,`. Throws where it has none. */
function figure(path: string, name: string): number {
  const code = read(path).replace(/\/\*.*?\*\/|\/\/.*?$/gms, '');
  const [, product] = new RegExp(String.raw`\b${name}(?: =|:) (?!number)((?:[\w.]+ \* )*[\w.]+)[,; ]`).exec(code) ?? [];
  if (product === undefined) throw new Error(`${path} has no number ${name}.`);
  const values = product.split(' * ').map(each => Number(each.replaceAll('_', '')) || figure(path, each));
  return values.reduce((one, other) => one * other);
}

const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');
const others: Readonly<Record<number, readonly string[]>> = {
  1: ['a', 'an'],
  15: ['fifteen'],
  20: ['twenty'],
  30: ['thirty'],
  100: ['a hundred', 'hundred'],
};

/** Whether a document has a sentence with these figures, in digits or in words. */
function says(document: string, sentence: string, figures: readonly number[]): boolean {
  const parts = sentence.split('#');
  const forms = figures.map(each =>
    [String(each), each.toLocaleString('en'), words[each] ?? [], others[each] ?? []].flat().join('|'),
  );
  const pattern = parts
    .map((part, at) => `${part.replace(/[^\w ]/g, sign => `\\${sign}`)}${at < forms.length ? `(?:${forms[at]})` : ''}`)
    .join('');
  if (parts.length !== figures.length + 1) throw new Error(`“${sentence}” has another number of figures.`);
  return new RegExp(`(?<!\\d)${pattern}`, 'i').test(read(document).replace(/\s+/g, ' '));
}

type Row = readonly [document: string, sentence: string, ...figures: number[]];

const receiver = 'src/bot/slack/http-receiver.ts';
const door = 'src/service/door/door.ts';
const postgres = 'src/db/postgres.ts';
const leaseTime = figure('src/db/leases.ts', 'leaseTime');
const giveUpAfter = figure('src/bot/journal/retry-policy.ts', 'giveUpAfter');
const sync = 'src/bot/sync/sync.ts';
const options = 'src/service/call/options.ts';
const rules = 'src/bot/alerts/rules.ts';
const duties = 'src/bot/duties/rules.ts';
const directory = 'src/bot/people/directory.ts';
const guests = 'src/bot/people/guests.ts';
const channels = 'src/bot/incident/state/channels.ts';
const burst = 'src/bot/incident/state/burst-store.ts';
const newcomers = 'src/bot/dispatch/surfaces/newcomers.ts';
const watch = 'src/bot/slack/slack-watch.ts';
const board = 'src/bot/incident/board/loop.ts';
const shortestToken = figure('src/config/formats.ts', 'shortestToken');
const connections = {
  usual: figure(postgres, 'usualConnections'),
  single: figure(postgres, 'singleConnections'),
  search: figure(postgres, 'maxSearchConnections'),
};
const allConnections = connections.usual + connections.single + connections.search + 1;

const security: readonly Row[] = [
  ['SECURITY.md', 'more than # minutes in the past or in the future', figure(receiver, 'maxSkew') / 60],
  ['SECURITY.md', 'one without a signature may have # kB', figure(receiver, 'maxUnsignedBody') / 1024],
  ['SECURITY.md', 'with a forged signature may have # MB', figure(receiver, 'maxBody') / 1_000_000],
  ['SECURITY.md', 'has the words, for # week at most', keepFor.drafts / (7 * day)],
  ['SECURITY.md', 'opens once, within # minutes', figure(door, 'keyAge') / minute],
  [
    'SECURITY.md',
    'after # days without a visit, and # days after',
    figure(door, 'cookieDays'),
    figure(door, 'signInDays'),
  ],
  ['SECURITY.md', 'looked them up in the last # minutes', figure(directory, 'cacheTime') / minute],
  ['SECURITY.md', 'where its last look is older than # minutes', figure(directory, 'cacheTime') / minute],
];

const operating: readonly Row[] = (
  [
    ['ends with code 0, after # seconds at most', deadlines.stop.all / second],
    ['gets the app later within # minutes', figure('src/bot/slack/connection.ts', 'listAge') / minute],
    [
      'copies them over at # megabytes and after # second without',
      Math.round((figure('src/db/sqlite.ts', 'logPages') * 4096) / 1_000_000),
      figure('src/db/sqlite.ts', 'idleTime') / second,
    ],
    ['leaves out # incident numbers', figure('src/transfer/prepare-restored.ts', 'freeNumbers')],
    ['what it had begun, after about # seconds', leaseTime / second],
    ['each must be within # minutes of Slack', figure(receiver, 'maxSkew') / 60],
    [
      'opens at most # connections to Postgres: # for its work (`DATABASE_POOL`), # for single statements such as storing a command, # for searches',
      ...[allConnections, connections.usual, connections.single, connections.search],
    ],
    ['needs `default_pool_size` of # for each process', allConnections],
    [
      'a statement of a search after # seconds, and any other after # minute',
      deadlines.database.search / second,
      deadlines.database.statement / minute,
    ],
    ['is noticed within # seconds', figure('src/bot/inbox/inbox.ts', 'untold') / second],
    ['takes # MiB of a dashboard', figure('src/service/http/app.ts', 'maxDashboardBody') / 1024 ** 2],
    ['more than # times in a minute', figure('src/operations/log.ts', 'most')],
    ['tries an intent for # days', giveUpAfter / day],
    [
      'finished intents after # days, deliveries after #, and snapshots of incidents # days after',
      ...[keepFor.intents, keepFor.deliveries, keepFor.snapshots].map(each => each / day),
    ],
    ['Muster asks every # seconds for one number', figure(sync, 'pollEvery') / second],
    ['is older than # minutes. Webhooks', figure(sync, 'tolerance') / 60],
    [
      'goes on asking, every # seconds; when webhooks stay away, every #',
      figure(sync, 'rarely') / second,
      figure(sync, 'pollEvery') / second,
    ],
    ['of at least # characters each', shortestToken],
    [
      'It opens once, within # minutes. Then this browser knows them, for # days after their last visit and for # days at most',
      figure(door, 'keyAge') / minute,
      figure(door, 'cookieDays'),
      figure(door, 'signInDays'),
    ],
    [
      'about a person after # minutes, about a room after #, and for the page of one incident after #',
      figure(directory, 'cacheTime') / minute,
      figure(channels, 'sightAge') / minute,
      figure(channels, 'outsideAge') / minute,
    ],
    ['gives the message up after # hours (`webhookRetryHours`)', figure(options, 'webhookRetryHours')],
    ['keeps the log of deliveries for # days', figure(options, 'webhookLogDays')],
    ['a hash, with the Slack id) | # minutes', figure(door, 'keyAge') / minute],
    ['or of the Slack id | # days', figure(door, 'signInDays') + 1],
    ['a deleted dashboard # days more (`trash`)', figure(options, 'days')],
    ['no timeline names # days (`shortUrlDays`)', figure(options, 'shortUrlDays')],
    ['A command waits # second for the database', deadlines.storeDelivery / second],
  ] satisfies readonly [string, ...number[]][]
).map(row => ['docs/operating.md', ...row]);

/** For how long the bot keeps what people did and said: each thing has its row. */
const kept: Readonly<Record<Exclude<keyof typeof keepFor, 'processes'>, string>> = {
  deliveries: 'their words until they are handled, their keys for # days',
  intents: 'became notes | # days after it ended',
  lines: 'the lines about changes # days |',
  alerts: 'who took or muted them | # days after they were told of last',
  pages: 'who acknowledged it | # days after they changed last',
  duties: 'who was reminded of it | # days after it was settled',
  calls: 'what they answered | # days after the call',
  drafts: 'could not finish | # days',
  snapshots: 'when the API is away | # days after the API showed them last',
  people: 'no e-mail address | # days after Slack spoke of them last',
  visits: 'can be caught up | # days after they did',
};
const keeping: readonly Row[] = (Object.keys(kept) as (keyof typeof kept)[]).map(each => [
  'docs/operating.md',
  kept[each],
  keepFor[each] / day,
]);

const { more, within } = usualPace.alertsStorm ?? { more: 0, within: 0 };
const alerting: readonly Row[] = [
  ['docs/alerts.md', 'fires again within # minutes', usualPace.alertsAgain],
  ['docs/alerts.md', 'More than # new groups of one source within # minutes', more, within / minute],
  ['docs/alerts.md', 'in the room a line, every # minutes at most', figure(rules, 'stillEvery') / minute],
  ['docs/alerts.md', 'their names, # at most', figure('src/bot/incident/state/alert-group.ts', 'maxNamedAlerts')],
  ['docs/alerts.md', 'lists the # gravest', figure('src/bot/incident/board/alert-words.ts', 'listed')],
  ['docs/alerts.md', 'reads the names of the first #', figure(rules, 'mostNamed')],
  ['docs/alerts.md', '**Mute # h**', figure('src/bot/features/alerts/feature.ts', 'muteSeconds') / 3600],
  [
    'docs/alerts.md',
    'the body has more than # MB, or, with `paths`, more than # MB',
    figure('src/bot/alerts/hook-door.ts', 'maxArriving') / 1024 ** 2,
    figure('src/bot/alerts/hook-door.ts', 'maxBody') / 1024 ** 2,
  ],
  [
    'docs/alerts.md',
    'looks at the first # alerts and at most 1 MB of them, and counts the rest. A body may be nested # deep',
    figure('src/bot/alerts/read/alertmanager.ts', 'maxAlerts'),
    figure('src/bot/alerts/read/read.ts', 'maxDepth'),
  ],
  [
    'docs/calls.md',
    'groups and people, # at most, with # members together, and asks # people at most',
    figure('src/bot/features/call/targets.ts', 'mostTargets'),
    figure('src/bot/features/call/targets.ts', 'members'),
    figure('src/bot/features/call/targets.ts', 'asked'),
  ],
  ['docs/pager.md', 'no answer within # seconds', deadlines.pager / second],
  [
    'docs/pager.md',
    'within # minutes of another page',
    figure('src/bot/features/pager/feature.ts', 'repeats') / minute,
  ],
  ['docs/pager.md', 'Muster waits # seconds', figure('src/bot/pager/pager.ts', 'pause')],
  [
    'docs/pager.md',
    'compare the clocks too: # minutes are the limit',
    figure('src/bot/pager/pager.ts', 'tolerance') / 60,
  ],
  ['docs/running.md', 'who promised it, alone, # minutes before', figure(duties, 'beforeUpdate') / minute],
  [
    'docs/running.md',
    'the channel, after # minutes (gravest severity) or #',
    figure(duties, 'gravest') / minute,
    figure(duties, 'below') / minute,
  ],
  ['docs/running.md', 'has not moved for # hours | each day', usualPace.taskAfter],
  ['docs/running.md', 'alone, # day after the end', figure(duties, 'review') / day],
];

const engine: readonly Row[] = [
  [
    'docs/architecture.md',
    'What another process changes counts after # seconds',
    figure('src/db/known.ts', 'maxAge') / second,
  ],
  [
    'docs/architecture.md',
    'An attempt takes at most # seconds, a call # with all its attempts; the breaker rests for #',
    ...[deadlines.api.attemptTimeout, deadlines.api.budget, deadlines.api.breaker.coolDown].map(each => each / second),
  ],
  [
    'docs/journal.md',
    'waits: # second, then twice as long',
    figure('src/bot/journal/retry-policy.ts', 'first') / second,
  ],
  [
    'docs/journal.md',
    'up to # seconds, with some randomness',
    figure('src/bot/journal/retry-policy.ts', 'longest') / second,
  ],
  [
    'docs/journal.md',
    'the journal keeps it, up to # minute',
    figure('src/bot/journal/retry-policy.ts', 'longestAskedPause') / minute,
  ],
  [
    'docs/journal.md',
    'After # seconds of that, the room reads',
    figure('src/bot/incident/lines/outage.ts', 'patience') / second,
  ],
  ['docs/journal.md', 'sends it again after # minute at the earliest', deadlines.landing / minute],
  ['docs/journal.md', 'After # days an intent fails with that reason', giveUpAfter / day],
  ['docs/journal.md', 'which it changes every # seconds', leaseTime / 4 / second],
  ['docs/journal.md', 'When it has not changed for # seconds', leaseTime / second],
  ['docs/journal.md', 'heartbeat was stored for # seconds', (0.75 * leaseTime) / second],
  ['docs/journal.md', 'A process that computes for # seconds', deadlines.hung / second],
  ['docs/journal.md', 'What # processes hung with is set aside', figure('src/db/leases.ts', 'mostHangs')],
  ['docs/journal.md', 'ends after # attempts', figure('src/bot/inbox/delivery-store.ts', 'maxAttempts')],
  ['docs/journal.md', 'again only within # hour', figure('src/bot/inbox/inbox.ts', 'stale') / hour],
  ['docs/journal.md', 'keeps a finished intent for # days', keepFor.intents / day],
  [
    'docs/performance.md',
    'and # of them are under way at a time',
    figure('src/bot/journal/worker.ts', 'maxConcurrentLanes'),
  ],
];

const decided: readonly Row[] = (
  [
    ['another process takes over, after about # seconds', leaseTime / second],
    ['changes its heartbeat every # seconds', leaseTime / 4 / second],
    [
      'looks every # seconds too, and # times a second where no words arrive',
      figure('src/bot/inbox/inbox.ts', 'told') / second,
      second / figure('src/bot/inbox/inbox.ts', 'untold'),
    ],
    ['For # day it is used at once', figure('src/bot/people/accounts.ts', 'trustedFor') / day],
    ['the list is waited for, # seconds at most', deadlines.users / second],
    ['its last look is older than # minute', figure(directory, 'recheckAfter') / minute],
    [
      'waits out a rate limit, # seconds at most. After that a look of the last # minutes',
      deadlines.profile / second,
      figure(directory, 'cacheTime') / minute,
    ],
    ['keeps name, zone and rights of people for # days', keepFor.people / day],
    ['(`users.list`, # on a page) once an hour', figure(guests, 'pageSize')],
    ['read at most once in # minutes', figure(channels, 'outsideAge') / minute],
    ['is asked about, # at most', figure(guests, 'mostAsked')],
    ['a channel of more than # members', figure(channels, 'maxPages') * figure(channels, 'pageSize')],
    ['The next round of the board, # seconds later', figure(board, 'restAfterFailure') / second],
    ['# of them are announced each within # minute', figure(burst, 'alone'), figure(burst, 'within') / minute],
    [
      'names the oldest #, counts the others, and grows for # minutes',
      figure(burst, 'named'),
      figure(burst, 'growsFor') / minute,
    ],
    ['remembers it for # minutes', figure('src/bot/dispatch/feature/replaceable-messages.ts', 'lasts') / minute],
    ['after # messages within an hour', usualPace.linesPerHour],
    ['goes on with a look of the last # minutes', figure('src/bot/incident/state/visits.ts', 'goesOnFor') / minute],
    ['of an incident that is # minutes old', figure(newcomers, 'lateAfter') / minute],
    ['It does so for # people a minute', figure(newcomers, 'mostInMinute')],
    ['the limit of # characters', figure('src/bot/incident/notes/message-note.ts', 'maxKept')],
    ['at most # minutes old', figure(channels, 'sightAge') / minute],
  ] satisfies readonly [string, ...number[]][]
).map(row => ['docs/decisions.md', ...row]);

const limits = slackLimits;
const slack: readonly Row[] = (
  [
    [
      'asks every # seconds, and while Slack does not answer, every #',
      figure(watch, 'refused') / second,
      figure(watch, 'away') / second,
    ],
    ['at most # times an hour and process', hour / figure(watch, 'usual')],
    ['waits # seconds at most itself', figure('src/bot/slack/socket-receiver.ts', 'longest') / second],
    ['Timeouts: # seconds, # for the quick client', deadlines.slack.call / second, deadlines.slack.quick.call / second],
    ['of a form or home tab | #, #', limits.messageBlocks, limits.viewBlocks],
    ['section: text, field | #; # fields of #', limits.sectionText, limits.fields, limits.fieldText],
    [
      'actions | # characters; # elements; # elements',
      limits.headerText,
      limits.contextElements,
      limits.actionElements,
    ],
    ['button: text, value, url | # (about 30 are shown), #', limits.buttonText, limits.buttonValue],
    ['option: text, value, description | #, #', limits.optionText, limits.optionValue],
    ['of an overflow menu | #', limits.options],
    ['plain text input | #', limits.inputText],
    ['placeholder, label, hint | #', limits.placeholder],
    ['confirmation: title, text, buttons | #, #, #', limits.confirmTitle, limits.confirmText, limits.confirmButton],
    ['form: title, submit, close | # each', limits.viewTitle],
    ['`block_id`, `action_id` | #', limits.blockId],
    ['`text` of an update | #', limits.updateText],
    ['topic, purpose | # each', limits.topic],
    ['invite, at most # people a call', limits.invited],
    ['and at most # characters (U', limits.channelName],
  ] satisfies readonly [string, ...number[]][]
).map(row => ['docs/slack.md', ...row]);

const api: readonly Row[] = (
  [
    ['answers 413 above # MiB', figure('src/service/http/rpc.ts', 'maxRpcBody') / 1024 ** 2],
    ['gives a call # seconds (R), and so do Muster', deadlines.apiTools.budget / second],
    ['The bot gives it #: a person waits', deadlines.api.budget / second],
    ['the title is trimmed and has 1 to # characters. attachURL', figure('src/contract/incidents.ts', 'maxTitle')],
    ['the body is not blank and has at most # characters', figure('src/contract/activity.ts', 'maxActivityBody')],
    ['An incident with # labels takes no more', figure('src/contract/labels.ts', 'maxLabels')],
    [
      'the text is trimmed and has 1 to # characters; an incident with # tasks takes no more',
      figure('src/contract/tasks.ts', 'maxTaskText'),
      figure('src/contract/tasks.ts', 'maxTasks'),
    ],
    [
      'means #. A limit above # means',
      figure('src/service/incidents/cursor.ts', 'defaultLimit'),
      figure('src/service/incidents/cursor.ts', 'maxLimit'),
    ],
    ['Labels have up to # characters', figure('src/service/incidents/labels.ts', 'maxLabel')],
    [
      'among the newest # timeline items; # times in a query',
      figure('src/service/query/typed-where.ts', 'items'),
      figure('src/service/query/typed-where.ts', 'mostNotes'),
    ],
    ['has 1 to # characters; a name in use', figure('src/service/incidents/roles.ts', 'maxName')],
    ['with 409 when # roles are active', figure('src/service/incidents/roles.ts', 'mostActive')],
    ['with 409 when # or fewer are active', figure('src/service/incidents/roles.ts', 'fewestActive')],
    ['It has # seconds to answer', figure('src/service/webhooks/attempt.ts', 'attemptTimeout') / second],
    [
      '# hours after the event it is given up, and not before it had # attempts',
      figure(options, 'webhookRetryHours'),
      figure('src/service/webhooks/retries.ts', 'fewestAttempts'),
    ],
    ['paths above # KiB', figure('src/contract/short-urls.ts', 'maxShortPath') / 1024],
    ['is deleted # days after it was made', figure(options, 'shortUrlDays')],
    ['Longer than #: 400 `uid too long', figure('src/contract/dashboards.ts', 'maxDashboardUid')],
    ['Over # characters: 400 `Dashboard title', figure('src/service/dashboards/draft.ts', 'maxDashboardTitle')],
    ['A message over #: 400', figure('src/service/dashboards/draft.ts', 'maxVersionMessage')],
    ['stays in the trash for # days', figure(options, 'days')],
    ['cuts at # characters', figure('src/service/incidents/slug.ts', 'longest')],
    ['`limit` (1000, at most #)', figure('src/service/dashboards/discovery.ts', 'mostHits')],
  ] satisfies readonly [string, ...number[]][]
).map(row => ['docs/api-rules.md', ...row]);

const settings: readonly Row[] = (
  [
    ['three more are for single statements, # for searches and pages', connections.search],
    ['# more are for single statements', connections.single],
    ['each token of # characters or more. Timelines', shortestToken],
    ['Muster asks the API every # seconds', figure(sync, 'pollEvery') / second],
  ] satisfies readonly [string, ...number[]][]
).map(row => ['docs/settings.md', ...row]);

test('every figure of a document that the code decides is that of the code', () => {
  const all = [security, operating, keeping, alerting, engine, decided, slack, api, settings].flat();
  const wrong = all.filter(([document, sentence, ...figures]) => !says(document, sentence, figures));
  expect(wrong.map(([document, sentence, ...figures]) => `${document}: ${sentence} (${figures.join(', ')})`)).toEqual(
    [],
  );
});

test.each([
  ['a figure that the code does not have', 'what it had begun, after about # seconds', 21],
  ['a figure with a further digit', 'tries an intent for # days', 70],
  ['a sentence that is not there', 'Muster tries an intent for # weeks', 1],
])('%s is noticed', (_, sentence, value) => {
  expect(says('docs/operating.md', sentence, [value])).toBe(false);
});
