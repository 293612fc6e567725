import { rewriting } from './breakages.ts';
import { none, type Variants } from './variant.ts';

const days = { ...none, calls: 1, promises: 1, pages: 1, days: 1 };

/** What Muster does about people who left, channels that were closed, and what nobody does, is broken. */
export const dayVariants: Variants = {
  'reminders are taken by Slack and lost': {
    breaks: 'a reminder that is due reaches somebody, or the room, within its step, quiet hours counted',
    troubles: days,
    variant: { effects: ({ args }) => (String(args.text).startsWith(':alarm_clock:') ? 0 : 1) },
  },
  'nobody hears that a channel is open again': {
    breaks: 'after a channel opens, everything in it is true within five minutes',
    troubles: days,
    variant: { arrives: body => !/"type":"(channel|group)_unarchive"|"member_joined_channel"/.test(body) },
  },
  'who left is taken to be here still': {
    breaks: 'nobody is asked or reminded who cannot be reached',
    troubles: days,
    variant: {
      arrives: body => !body.includes('"type":"user_change"'),
      heard: ({ method }, body) =>
        method === 'users.info' ? body.replaceAll(/"(deleted|is_restricted)":true/g, '"$1":false') : body,
    },
  },
  'who is called is taken to come': {
    breaks: 'a chain of calls ends by a person alone',
    troubles: days,
    variant: {
      statement: query =>
        /^insert into "bot_called"/.test(query.sql)
          ? { ...query, parameters: query.parameters.map(each => (each === 'none' ? 'coming' : each)) }
          : query,
    },
  },
  'who left a private room is reminded of its incident': {
    breaks: 'nobody outside a private room reads of it by a reminder, a call or an announcement',
    troubles: days,
    variant: {
      statement: rewriting(/^select "user_id", "is_member" from/g, 'select "user_id", 1 as "is_member" from'),
    },
  },
};
