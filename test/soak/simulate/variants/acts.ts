import {
  failing,
  handingBackLate,
  keepingRefused,
  losing,
  rewriting,
  withEventTimeOfNow,
  withoutCorrections,
} from './breakages.ts';
import { apiAway, none, type Variants } from './variant.ts';

/** What becomes of acts is broken: whether, when and in which order they take effect, and what their people read of it. */
export const actVariants: Variants = {
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
    seeds: 12,
    variant: { statement: losing(/^insert into "bot_intent"/, 5) },
  },
  'what the API may still make is asked for again at once': {
    breaks: 'every accepted action took effect exactly once',
    troubles: { ...none, grafana: 1 },
    seeds: 12,
    variant: { landing: 0 },
  },
  'what the API refused keeps its place': {
    breaks: 'no lane waits behind what the API refused',
    troubles: { ...none, grafana: 1 },
    seeds: 12,
    variant: { statement: keepingRefused },
  },
  'lanes are worked on from their end': {
    breaks: 'order per incident is that in which people acted',
    troubles: apiAway,
    variant: { statement: rewriting(/order by "seq"(?! desc)/g, 'order by "seq" = 0 desc, "seq" desc') },
  },
  'what is due is claimed wherever it stands in its lane': {
    breaks: 'one lane, one runner',
    troubles: apiAway,
    variant: { statement: rewriting(/"ranked"\."rank" = 1/g, '"ranked"."rank" >= 1') },
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
  'the table of channels has another name': {
    breaks: 'nothing broke inside',
    troubles: apiAway,
    // Everything is tried again until its time is over, so a world takes long.
    seeds: 1,
    variant: { statement: rewriting(/from "bot_channel"/g, 'from "no_channel"') },
  },
};
