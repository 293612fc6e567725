import { slackReason } from '../../slack/clients.ts';
import type { Context, Modal } from '../feature/context.ts';
import type { OpenForm } from '../feature/delivery.ts';
import { toView } from './modal.ts';

/**
 * Shows an open form with another state and with what its fields hold. Where Slack does not change it, since the person changed or closed it
 * meanwhile, the form is opened anew with the same fields.
 */
export async function updateForm<S, V>(
  ctx: Context,
  modal: Modal<S, V>,
  { viewId, hash, filled, offered }: OpenForm,
  state: S,
): Promise<void> {
  const { settings, slack } = ctx.deps;
  const view = toView(modal, state, filled, { settings, now: ctx.now, offered }, ctx.location);
  try {
    await slack.quick.views.update({ view_id: viewId, hash, view });
  } catch (error) {
    ctx.log.info({ reason: slackReason(error), modal: modal.id }, 'form: Slack did not change it');
    await ctx.openForm(modal, state, filled, offered);
  }
}
