import { isNews, losing, rewriting, tellsOfElsewhere, tellsOfMistake, withoutNewer } from './breakages.ts';
import { none, type Variants } from './variant.ts';

/** What rooms and the channel of announcements show is broken, and to whom. */
export const roomVariants: Variants = {
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
  'lines stand in the reverse order': {
    breaks: 'the room was told of every change exactly once, in order, and of nothing else',
    troubles: none,
    variant: { statement: rewriting(/coalesce\(max\(seq\), 0\) \+ 1/g, '1000000 - count(*)') },
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
    // It shows where somebody takes back an update that outsiders read too.
    troubles: { ...none, rivals: 1 },
    seeds: 20,
    variant: { statement: rewriting(/where "act" = (\S+)$/g, 'where "place" = \'room\' and "act" = $1') },
  },
  'declarations that are taken back keep their words where they were made': {
    breaks: 'what was taken back is marked taken back wherever it was said',
    troubles: none,
    seeds: 12,
    variant: { effects: call => (tellsOfMistake(call) ? 0 : 1) },
  },
  'lines join messages that others were posted below': {
    breaks: 'a line never appears above a message that is newer than its act',
    troubles: { ...none, talk: 1 },
    seeds: 20,
    variant: { heard: withoutNewer },
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
    variant: {
      statement: rewriting(/^select "user_id", "is_member" from/g, 'select "user_id", 1 as "is_member" from'),
    },
  },
  'a room that is made private is taken to be public still': {
    breaks: 'nobody saw what they may not',
    troubles: { ...none, rooms: true },
    // It shows where somebody who is outside looks: in one world of fifteen.
    seeds: 40,
    variant: {
      // By whatever statement: of the channel alone, or beside its incident.
      statement: query =>
        [
          rewriting(/^select \* from "bot_channel" /g, 'select *, 0 as "is_private" from "bot_channel" '),
          rewriting(/"channel"\."is_private" as/g, '0 as'),
        ].reduce((sql, rewrite) => rewrite(sql) ?? sql, query),
    },
  },
};
