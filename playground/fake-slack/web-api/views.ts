import { checkView } from '../block-kit/view.ts';
import { SlackError } from '../protocol/slack-error.ts';
import type { Arguments } from './arguments.ts';
import type { Methods } from './method.ts';

/** Modals and home tabs. They need no scope (docs/slack.md 7). */
export const viewMethods: Methods = {
  'views.open': {
    run({ modals, triggers }, args) {
      const view = viewOf(args);
      // A view that is refused leaves its trigger as it was (docs/slack.md 12).
      checkView(view, 'modal');
      const { userId, channelId } = triggers.exchange(args.text('trigger_id'));
      return { view: modals.serialize(modals.open(userId, channelId, view)) };
    },
  },
  'views.push': {
    run({ modals, triggers }, args) {
      const view = viewOf(args);
      checkView(view, 'modal');
      return { view: modals.serialize(modals.push(triggers.exchange(args.text('trigger_id')).userId, view)) };
    },
  },
  'views.update': {
    run({ modals }, args) {
      const by = { viewId: args.text('view_id'), externalId: args.text('external_id'), hash: args.text('hash') };
      return { view: modals.serialize(modals.update(by, viewOf(args))) };
    },
  },
  'views.publish': {
    run({ modals, workspace }, args) {
      const user = args.required('user_id');
      if (!workspace.people.has(user)) throw new SlackError('user_not_found');
      return { view: modals.serialize(modals.publish(user, viewOf(args), args.text('hash'))) };
    },
  },
};

function viewOf(args: Arguments): unknown {
  return args.json('view', 'invalid_arguments');
}
