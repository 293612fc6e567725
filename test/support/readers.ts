import { toSummary } from '../../src/bot/alerts/read/clean.ts';
import { readAlert } from '../../src/bot/alerts/read/read.ts';
import { withWindow } from '../../src/bot/alerts/read/window.ts';
import { allVerbs } from '../../src/bot/dispatch/feature/feature.ts';
import { isUid, readDashboardAddress, readLinkAddress, titleOfAddress } from '../../src/bot/features/dash/address.ts';
import { readModel } from '../../src/bot/features/dash/save.ts';
import { readWindow, vagueWindow } from '../../src/bot/features/dash/typed-window.ts';
import { readPasted } from '../../src/bot/features/declare/feature.ts';
import { splitTasks } from '../../src/bot/features/task/add.ts';
import { features } from '../../src/bot/features.ts';
import { parseCommand } from '../../src/bot/grammar/grammar.ts';
import { replyTo } from '../../src/bot/grammar/phrasebook.ts';
import { markSince, rewriteBody } from '../../src/bot/incident/notes/notes.ts';
import { alertLengths } from '../../src/bot/incident/state/alert-group.ts';
import { findSeverity, readSeverity, splitSeverity } from '../../src/bot/incident/state/settings.ts';
import { checkTitle, splitLabels } from '../../src/bot/incident/state/title-and-labels.ts';
import { toMentioning } from '../../src/bot/people/kept-mentions.ts';
import { readMentions } from '../../src/bot/people/mentions.ts';
import { findSecrets } from '../../src/bot/secrets/find-secrets.ts';
import { readPermalink, toSourceMessage } from '../../src/bot/slack/source-message.ts';
import { code, section, toLinkLabel, toMrkdwn, toSafeUrl } from '../../src/bot/text/blocks.ts';
import { nearest } from '../../src/bot/text/distance.ts';
import { parseTime, timeLength } from '../../src/bot/text/times.ts';
import { leadingTime, trailingTime } from '../../src/bot/text/times-in-text.ts';
import {
  addressesIn,
  cap,
  cutMrkdwn,
  decodeEntities,
  toComparable,
  toLines,
  toOneLine,
  toPlainText,
  toUnformatted,
  withoutFormatting,
} from '../../src/bot/text/words.ts';
import { decodePeople } from '../../src/contract/acting.ts';
import { parseExact, parseJson } from '../../src/contract/exact-json.ts';
import { readIncidentType } from '../../src/contract/incident-type.ts';
import { parseInterval } from '../../src/contract/interval.ts';
import { compileMemberPath } from '../../src/contract/json-path.ts';
import { namesOfNote, readFoot, readFormed, splitNoteBody } from '../../src/contract/note-forms.ts';
import { findAddressProblem } from '../../src/contract/webhook-address.ts';
import { Scrubber } from '../../src/erase/erase.ts';
import { parseRpcPath } from '../../src/service/http/rpc.ts';
import { findLinks } from '../../src/service/incidents/links.ts';
import { inlineText, richText, toHref, toVisibleText } from '../../src/service/pages/escape.ts';
import { parseQuery } from '../../src/service/query/parse.ts';
import { parseTyped } from '../../src/service/query/typed.ts';
import { toSlug } from '../../src/service/store/slug.ts';
import { toStorableText } from '../../src/service/store/storable-text.ts';
import { fold } from '../../src/service/store/tables.ts';

const verbs = allVerbs(features);
const reading = { now: new Date('2026-11-20T12:15:00Z'), timeZone: 'Europe/Berlin' };
const settings = {
  severities: ['pending', 'critical', 'really very bad', 'minor'],
  webUrl: 'https://grafana.example.com/',
  dashboardHosts: ['a.a'],
};
const person = {
  userIDs: ['alice:1', 'grafana:12345678'],
  slackIDs: ['U1', 'U11'],
  names: ['a', 'aa', 'Alice A', '(a+)+$'],
  emails: ['a@a.a'],
  photoURLs: ['https://a.a/a'],
};
const scrubber = new Scrubber(person, { name: 'somebody', userIDs: ['1', '2'], slackID: 'U2' });
const mentions = ['@a', '@aa', '@a a'].map(shown => ({ kind: 'user' as const, id: 'U1', shown }));

const ofLine = (root: string, before: string) => (text: string) => {
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: `${before}${text}` });
  if (parsed.kind === 'verb') readMentions(parsed.args, 'U1');
};
const ofAlert = (text: string) => {
  const alert = { status: 'firing', labels: { alertname: text, [text]: text }, annotations: { summary: text } };
  const group = {
    groupLabels: { [text]: text },
    commonLabels: { a: text },
    commonAnnotations: {},
    externalURL: `https://a.a/${text}`,
  };
  return readAlert(undefined, {
    ...group,
    version: '4',
    groupKey: text,
    status: 'firing',
    alerts: [alert],
    receiver: text,
  });
};

/**
 * Everything in `src/` that reads text from outside, by name: what people type and paste, what Slack, monitoring and the callers of the API send. A
 * reader may refuse a text; it throws then.
 */
export const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a command with a verb': ofLine('incident', 'declare '),
  'a note with a time': ofLine('note', 'add --at '),
  'a task': ofLine('task', 'done '),
  'a mention': ofLine('mention', ''),
  'small talk': replyTo,
  'a time': text => parseTime(text, reading),
  'the time that a text begins with': text => leadingTime(`at 07:20${text}`, reading),
  'the time that a text ends with': text => trailingTime(`${text} at 07:20`, reading),
  'the words of a time': text => timeLength(text.split(' ')),
  'a window': text => [readWindow(text), vagueWindow(text)],
  'a pasted alert': readPasted,
  'a list of tasks': splitTasks,
  'a title': text => [checkTitle(text), splitSeverity(settings as never, text)],
  'a severity': text => [findSeverity(settings.severities, text), readSeverity(settings as never, `critical ${text}`)],
  labels: splitLabels,
  'the nearest name': text => nearest(text, ['commander', 'investigator'], each => each),
  'an address of a dashboard': text => [readDashboardAddress(text, settings as never), isUid(text)],
  'an address': text => [
    readLinkAddress(`https://a.a/${text}`, settings as never),
    URL.canParse(`https://a.a/${text}`) && titleOfAddress(`https://a.a/${text}`),
    readPermalink(text),
  ],
  'a pasted dashboard': readModel,
  secrets: findSecrets,
  'Slack’s text': text => [toPlainText(text), withoutFormatting(text), decodeEntities(text)],
  'a message': text =>
    toSourceMessage('C1', { ts: '1.000001', text, blocks: [{ type: 'markdown', text }], user: text }),
  'lines and words': text => [
    toLines(text),
    toOneLine(text),
    toComparable(text),
    toUnformatted(text),
    addressesIn(text),
  ],
  'words for Slack': text => [
    ...[toMrkdwn(text), toLinkLabel(text), toSafeUrl(text), code(text, 100), section(text)],
    ...[cap(text, text.length - 1), cutMrkdwn(text, text.length - 1), toMentioning(text, mentions, 4000)],
  ],
  'a note': text => [
    splitNoteBody(text),
    readFormed(`📣 ${text}`),
    markSince(`a\n\n— ${text}`, 'edited'),
    rewriteBody(text, 'a', 'b'),
  ],
  'the foot of a note': text => {
    const body = `a\n\n— said by ${text} in Slack, added by ${text}`;
    return [readFoot(splitNoteBody(body).foot), namesOfNote({ body, fieldValues: {} } as never)];
  },
  'an alert': ofAlert,
  'the words of an alert': text => [
    toSummary([text, text]),
    withWindow({ what: 'panel', url: `https://a.a/${text}`.slice(0, alertLengths.url) }, reading.now.toISOString()),
  ],
  'an acting person': decodePeople,
  JSON: text => [parseJson(`{"a":"${text}"}`), parseExact(text)],
  numbers: text => parseJson(`[1${text}]`),
  'a type of an incident': readIncidentType,
  'an interval': parseInterval,
  'a path of JSON': compileMemberPath,
  'an address of a webhook': text => findAddressProblem(`https://a.a/${text}`),
  'a person’s name in a text': text => [scrubber.scrub(text, 'people', false), scrubber.names(text)],
  'a path of the API': text => parseRpcPath(`/api/plugins/${text}`),
  links: findLinks,
  'words of a page': text => [richText(text), inlineText(text), toVisibleText(text), toHref(text)],
  'a query': parseQuery,
  'a query of a person': text => parseTyped(text, { now: reading.now, isKnown: true }),
  'a slug': text => [toSlug(text), fold(text), toStorableText(text)],
};
