import { doubling, late, losing } from './breakages.ts';
import { none, type Variants } from './variant.ts';

const calls = 'who is called is asked once, and the room reads what became of each';
const owed = 'what is owed is reminded of at its time, once per step, to who owes it, and never after it was done';
const peace = 'nobody is reminded in quiet hours, and the budget of the room holds';
const pages = 'a page wakes once, under a key of its own';

/** How incidents are run is broken: who is called, reminded and paged, when, and how often. */
export const runningVariants: Variants = {
  'who is called is asked twice': {
    breaks: calls,
    troubles: { ...none, calls: 1 },
    seeds: 12,
    variant: { effects: doubling(/call\.cannot/) },
  },
  'answers to calls are forgotten': {
    breaks: calls,
    troubles: { ...none, calls: 1 },
    seeds: 12,
    variant: { statement: losing(/^update "bot_called" set "answer"/, 1) },
  },
  'chains stand still': {
    breaks: calls,
    troubles: { ...none, calls: 1 },
    seeds: 20,
    variant: { statement: late(/^update "bot_call" set "step" = \?, "next_at"/, 1) },
  },
  'reminders are sent twice': {
    breaks: owed,
    troubles: { ...none, promises: 1 },
    seeds: 12,
    variant: { effects: doubling(/alarm_clock/) },
  },
  'nobody looks at what is owed': {
    breaks: owed,
    troubles: { ...none, promises: 1 },
    seeds: 12,
    variant: { statement: losing(/^select "incident_id" from "bot_duty"/, 1) },
  },
  'what was done is owed still': {
    breaks: owed,
    troubles: { ...none, promises: 1 },
    seeds: 20,
    variant: { statement: losing(/^update "bot_duty" set "state"/, 1) },
  },
  'nobody has quiet hours': {
    breaks: peace,
    troubles: { ...none, promises: 1 },
    seeds: 20,
    variant: { settings: real => ({ ...real, quietHours: undefined }) },
  },
  'reminders come beyond the budget of a room': {
    breaks: peace,
    troubles: { ...none, promises: 1 },
    seeds: 40,
    variant: {
      statement: losing(
        /^select "begun_at" from "bot_line" where "incident_id" = \? and "place" = \?.*"begun_at" > \?/,
        1,
      ),
    },
  },
  'each attempt to page has a key of its own': {
    breaks: pages,
    troubles: { ...none, api: true, pages: 1 },
    seeds: 12,
    variant: { toPager: body => body.replace(/(?<="(?:dedup_)?key":")[^"]+/, key => `${key}/${Math.random()}`) },
  },
  'all pages have the same key': {
    breaks: pages,
    troubles: { ...none, pages: 1 },
    seeds: 12,
    variant: { toPager: body => body.replace(/(?<="dedup_key":")[^"]+/, 'muster') },
  },
  'pages are lost': {
    breaks: pages,
    troubles: { ...none, pages: 1 },
    seeds: 12,
    variant: { toPager: () => undefined },
  },
};
