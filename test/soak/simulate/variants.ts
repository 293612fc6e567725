import type { CompiledQuery } from 'kysely';
import type { Transport } from '../../../src/client/transport.ts';
import {
  failing,
  handingBackLate,
  isNews,
  losing,
  losingClassic,
  rewriting,
  tellsOfElsewhere,
  tellsOfPress,
  withEventTimeOfNow,
  withoutChanges,
  withoutCorrections,
  withoutEffect,
  withoutNewer,
  withoutOthers,
} from './breakages.ts';
import type { Troubles } from './faults.ts';
import type { Invariant } from './invariants/all.ts';
import type { SlackCall } from './slack-line.ts';

/** A part of Muster that is broken on purpose, to show that it is noticed. */
export interface Variant {
  /** A statement as it reaches the database; undefined when it is lost, and told to have been done. */
  readonly statement?: (query: CompiledQuery) => CompiledQuery | undefined;
  /** The API. */
  readonly answer?: (real: Transport) => Transport;
  /** How often a call to Slack takes effect, whatever is told of it: 1 when nothing is broken. */
  readonly effects?: (call: SlackCall) => number;
  /** What is heard of an answer of Slack. */
  readonly heard?: (call: SlackCall, body: string) => string;
}

/** What befalls a world, and what in it is broken. */
export interface WorldOptions {
  readonly troubles: Troubles;
  readonly variant: Variant;
}

/** Every sort of trouble. */
export const everyTrouble: Troubles = {
  api: true,
  slack: true,
  refusals: true,
  database: true,
  steps: true,
  kills: true,
  stops: true,
  freezes: true,
  tokens: true,
  floods: true,
  lookups: true,
  departures: true,
  rooms: true,
  sockets: true,
  elsewhere: 0.6,
  talk: 0.6,
  rivals: 0.4,
  duties: 0.5,
  aftermath: 0.4,
  classic: 0.3,
};
const none: Troubles = {
  api: false,
  slack: false,
  refusals: false,
  database: false,
  steps: false,
  kills: false,
  stops: false,
  freezes: false,
  tokens: false,
  floods: false,
  lookups: false,
  departures: false,
  rooms: false,
  sockets: false,
  elsewhere: 0,
  talk: 0,
  rivals: 0,
  duties: 0,
  aftermath: 0,
  classic: 0,
};
const apiAway: Troubles = { ...none, api: true };

/**
 * How a variant is noticed: the invariant that it breaks, and the number of seeds to look at when the usual one does not fit.
 */
interface Shown {
  readonly breaks: Invariant;
  readonly seeds?: number;
}

/** Variants by name, each with the troubles under which it shows and the invariant that notices it. */
export const variants: Readonly<Record<string, WorldOptions & Shown>> = {
  'notes are added twice': {
    breaks: 'every accepted action took effect exactly once',
    troubles: none,
    variant: {
      answer: real => async request => {
        if (request.path.endsWith('ActivityService.AddActivity')) await real(request);
        return real(request);
      },
    },
  },
  'one intent of five is lost': {
    breaks: 'every accepted action took effect exactly once',
    troubles: apiAway,
    variant: { statement: losing(/^insert into "bot_intent"/, 5) },
  },
  'lanes are worked on from their end': {
    breaks: 'order per incident is that in which people acted',
    troubles: apiAway,
    variant: { statement: rewriting(/order by "seq"(?! desc)/g, 'order by "seq" = 0 desc, "seq" desc') },
  },
  'corrections of notes keep the old words': {
    breaks: 'order per incident is that in which people acted',
    troubles: none,
    seeds: 20,
    variant: { answer: withoutCorrections },
  },
  'notes bear the time at which they are written': {
    breaks: 'original times and authors are kept',
    troubles: apiAway,
    variant: { answer: withEventTimeOfNow },
  },
  'nobody is told what became of it': {
    breaks: 'every person got an answer',
    troubles: none,
    variant: { effects: ({ method }) => (/^(response_url|chat\.postEphemeral)$/.test(method) ? 0 : 1) },
  },
  'nobody looks for what is due': {
    breaks: 'nothing waits for ever',
    troubles: apiAway,
    variant: { statement: losing(/^with "ranked"/, 1) },
  },
  'nobody looks for leases of the dead': {
    breaks: 'everything is done and told promptly',
    troubles: { ...apiAway, kills: true },
    variant: { statement: losing(/^select "(id|key)", .*"lease_owner".* from "bot_(intent|delivery)"/, 1) },
  },
  'what is handed back rests for a minute': {
    breaks: 'everything is done and told promptly',
    troubles: { ...none, slack: true, kills: true, stops: true },
    // It shows only where a process stops shortly before the trouble ends: in one world of ten.
    seeds: 40,
    variant: { statement: handingBackLate },
  },
  'passing faults of the database are taken for faults of Muster': {
    breaks: 'nobody reads of a failure that was none',
    troubles: none,
    variant: { statement: failing(/^insert into "bot_intent"/, 5) },
  },
  'cards are never edited': {
    breaks: 'the room equals the API',
    troubles: none,
    variant: { effects: ({ method }) => (method === 'chat.update' ? 0 : 1) },
  },
  'topics are never set': {
    breaks: 'the room equals the API',
    troubles: none,
    variant: { effects: ({ method }) => (method === 'conversations.setTopic' ? 0 : 1) },
  },
  'nobody is told of changes elsewhere': {
    breaks: 'the room equals the API',
    troubles: { ...none, elsewhere: 1 },
    variant: { effects: call => (tellsOfElsewhere(call) ? 0 : 1) },
  },
  'changes elsewhere are told twice': {
    breaks: 'the room equals the API',
    troubles: { ...none, elsewhere: 1 },
    variant: { effects: call => (tellsOfElsewhere(call) && call.method === 'chat.postMessage' ? 2 : 1) },
  },
  'lines about changes are lost': {
    breaks: 'the room was told of every change exactly once, in order, and of nothing else',
    troubles: none,
    variant: { statement: losing(/^insert into "bot_line"/, 3) },
  },
  'lines stand in the order of the alphabet': {
    breaks: 'the room was told of every change exactly once, in order, and of nothing else',
    troubles: none,
    variant: { statement: rewriting(/order by "begun_at", "seq"/g, 'order by "begun_at", "words"') },
  },
  'news below the announcement are posted twice': {
    breaks: 'the channel of announcements reads one card, and of each rise, update, end and reopening once',
    troubles: none,
    variant: { effects: call => (isNews(call) ? 2 : 1) },
  },
  'news below the announcement are lost': {
    breaks: 'the channel of announcements reads one card, and of each rise, update, end and reopening once',
    troubles: none,
    variant: { effects: call => (isNews(call) ? 0 : 1) },
  },
  'an undone change is told as if it stood': {
    breaks: 'the room was told of every change exactly once, in order, and of nothing else',
    troubles: none,
    variant: { statement: losing(/^update "bot_line" set "undone_by"/, 1) },
  },
  'an undo marks what the room reads, and nothing else': {
    breaks: 'what was taken back is marked taken back wherever it was said',
    troubles: none,
    seeds: 20,
    variant: { statement: rewriting(/where "act" = (\S+)$/g, 'where "place" = \'room\' and "act" = $1') },
  },
  'lines join messages that others were posted below': {
    breaks: 'a line never appears above a message that is newer than its act',
    troubles: { ...none, talk: 1 },
    seeds: 20,
    variant: { heard: withoutNewer },
  },
  'an undo does not see that the same was set again': {
    breaks: 'an undo restores the state before its act, and undoes nothing else',
    troubles: { ...none, rivals: 1 },
    seeds: 8,
    variant: { answer: withoutChanges },
  },
  'an undo of a note removes nothing': {
    breaks: 'an undo restores the state before its act, and undoes nothing else',
    troubles: none,
    seeds: 12,
    variant: { answer: withoutEffect('ActivityService.RemoveActivity') },
  },
  'notes are never added': {
    breaks: 'the timeline equals what people last said, reacted and removed',
    troubles: { ...none, talk: 1 },
    variant: { answer: withoutEffect('ActivityService.AddActivity') },
  },
  'notes keep the words that their messages had': {
    breaks: 'the timeline equals what people last said, reacted and removed',
    troubles: { ...none, talk: 1 },
    variant: { answer: withoutEffect('ActivityService.UpdateActivityBody') },
  },
  'notes stay when the last reaction is taken back': {
    breaks: 'the timeline equals what people last said, reacted and removed',
    troubles: { ...none, talk: 1 },
    variant: { answer: withoutEffect('ActivityService.RemoveActivity') },
  },
  'notes go with any reaction that is taken back': {
    breaks: 'the timeline equals what people last said, reacted and removed',
    troubles: { ...none, talk: 1 },
    // It shows where two people have reacted: in one world of twenty.
    seeds: 40,
    variant: { heard: withoutOthers },
  },
  'channels are never archived': {
    breaks: 'a channel is archived once, when somebody wants it, and reopening calls it off',
    troubles: { ...none, duties: 1 },
    seeds: 12,
    variant: { effects: ({ method }) => (method === 'conversations.archive' ? 0 : 1) },
  },
  'lists in classic blocks are lost where Slack refuses newer ones': {
    breaks: 'every accepted action took effect exactly once',
    troubles: { ...none, duties: 1, classic: 1 },
    seeds: 12,
    variant: { effects: losingClassic() },
  },
  'records of incidents are sent to nobody': {
    breaks: 'every accepted action took effect exactly once',
    troubles: { ...none, aftermath: 1 },
    seeds: 12,
    variant: { effects: ({ method }) => (method === 'files.completeUploadExternal' ? 0 : 1) },
  },
  'the home tab does not say what a press on it has done': {
    breaks: 'every person got an answer',
    troubles: { ...none, aftermath: 1 },
    seeds: 12,
    variant: { effects: call => (tellsOfPress(call) ? 0 : 1) },
  },
  'channels get every message twice': {
    breaks: 'nothing stands in Slack twice',
    troubles: none,
    variant: { effects: ({ method }) => (method === 'chat.postMessage' ? 2 : 1) },
  },
  'who left a room is taken to be in it still': {
    breaks: 'nobody saw what they may not',
    troubles: { ...none, rooms: true },
    // It shows where somebody who is outside looks: in one world of fifteen.
    seeds: 40,
    variant: { statement: rewriting(/^select "is_member" from/g, 'select 1 as "is_member" from') },
  },
  'a room that is made private is taken to be public still': {
    breaks: 'nobody saw what they may not',
    troubles: { ...none, rooms: true },
    // It shows where somebody who is outside looks: in one world of fifteen.
    seeds: 40,
    variant: {
      statement: rewriting(/^select \* from "bot_channel" /g, 'select *, 0 as "is_private" from "bot_channel" '),
    },
  },
  'the table of channels has another name': {
    breaks: 'nothing broke inside',
    troubles: apiAway,
    // Everything is tried again until its time is over, so a world takes long.
    seeds: 1,
    variant: { statement: rewriting(/from "bot_room"/g, 'from "no_room"') },
  },
};

/** The worlds of a name: a variant, or a comma list of troubles; without one, those in which everything befalls the bot as it is. */
export function findVariant(name: string | undefined): WorldOptions {
  if (name === undefined) return { troubles: everyTrouble, variant: {} };
  const known = variants[name];
  if (known) return known;
  const on = Object.entries({ ...everyTrouble, duties: 1, aftermath: 1, classic: 1 }).filter(([each]) =>
    name.split(',').includes(each),
  );
  return { troubles: { ...none, ...Object.fromEntries(on) }, variant: {} };
}
