import type { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, type ButtonFace, defineButton } from '../../dispatch/feature/feature.ts';
import { readHeadline, unknownHeadline } from '../../incident/acts/read-incident.ts';
import type { CallAnswer } from '../../incident/lines/calls.ts';
import { incidentLabel, titleBehind } from '../../incident/state/incident-name.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import { actions, section, sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { answerFaces, answerRow, OnCall } from './answer-row.ts';

/** A call that somebody answers. */
type Asked = z.output<typeof OnCall>;

/** Stores the answer of somebody who was called, and shows it to them with the ways to change it. */
async function answerCall(ctx: Context, { incidentID, call }: Asked, answer: CallAnswer): Promise<void> {
  const { deps, actor } = ctx;
  const answered = await deps.calls.answer(call, actor.userId, answer);
  const name = incidentLabel(incidentID, 'Incident');
  switch (answered.how) {
    case 'stranger':
      return ctx.answer(sentence('This call was not for you, so your answer does not count.'));
    case 'withdrawn':
      return ctx.replace(
        sentence(`${signs.undone} The call to ${name.toLowerCase()} was taken back: you need not come.`),
      );
    case 'over':
      return ctx.replace(sentence(`${name} is over, so nobody is needed any more. Your answer changes nothing.`));
    case 'stored': {
      deps.cards.refresh(answered.incidentID);
      const { title, where } = await whatIsSeen(ctx, answered.incidentID);
      const said = answerText(`${name}${titleBehind(title)}`, answer);
      const text = `${said}${where === '' || answer.answer === 'cannot' ? '.' : ` · ${where}`}`;
      return ctx.replace({ text, blocks: [section(text), actions(answerRow({ incidentID, call }))] });
    }
  }
}

/**
 * The incident's title, and its channel as mrkdwn; `""` for somebody who does not see the incident any more, and while nobody can tell.
 */
async function whatIsSeen(
  { deps, actor }: Context,
  incidentID: string,
): Promise<{ readonly title: string; readonly where: string }> {
  const viewer = { ...actor, channelId: '' };
  const isSeen = await deps.visibility.sees('own change', viewer, { incidentID }).catch(() => false);
  if (!isSeen) return { title: '', where: '' };
  const { title } = await readHeadline(deps, incidentID).catch(() => unknownHeadline);
  return { title, where: roomMention(await deps.rooms.ofIncident(incidentID)) };
}

function answerText(name: string, { answer, minutes }: CallAnswer): string {
  if (answer === 'cannot') return `${signs.cannot} ${name} knows that you cannot come`;
  return `${signs.coming} ${name} knows that you come in ${minutes} min`;
}

function answerButton(face: ButtonFace & Pick<Button, 'id'>, answer: CallAnswer): Button<Asked> {
  return defineButton({ ...face, value: OnCall, run: (ctx, { value }) => answerCall(ctx, value, answer) });
}

/** The buttons of the question to somebody who is called. */
export const answerButtons = [
  answerButton(answerFaces.soon, { answer: 'coming', minutes: 5 }),
  answerButton(answerFaces.later, { answer: 'coming', minutes: 15 }),
  answerButton(answerFaces.late, { answer: 'coming', minutes: 30 }),
  answerButton(answerFaces.cannot, { answer: 'cannot', minutes: 0 }),
] as Button[];
