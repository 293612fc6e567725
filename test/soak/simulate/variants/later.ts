import { tellsOfPress, withoutEffect, withoutOthers } from './breakages.ts';
import { none, type Variants } from './variant.ts';

/** What people do to earlier acts is broken: undoing them, editing and reacting to messages, and all that follows a resolution. */
export const laterVariants: Variants = {
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
  'records of incidents are sent to nobody': {
    breaks: 'every accepted action took effect exactly once',
    troubles: { ...none, aftermath: 1 },
    seeds: 12,
    variant: { effects: ({ method }) => (method === 'files.completeUploadExternal' ? 0 : 1) },
  },
  'the home tab does not say what a press on it has done': {
    breaks: 'every person got an answer',
    troubles: { ...none, aftermath: 1 },
    seeds: 40,
    variant: { effects: call => (tellsOfPress(call) ? 0 : 1) },
  },
};
