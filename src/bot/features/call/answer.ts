import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { catchUpButton } from '../../dispatch/feature/faces.ts';
import { type Button, defineButton, type Face, pressable } from '../../dispatch/feature/feature.ts';
import type { IncidentDeps, IntentContext } from '../../incident/acts/intent-kind.ts';
import { readHeadline, unknownHeadline } from '../../incident/acts/read-incident.ts';
import { chainWords } from '../../incident/lines/call-line.ts';
import { inviteAll } from '../../incident/room/invite.ts';
import { RoomSteps } from '../../incident/room/steps.ts';
import type { CallAnswer, StoredCall } from '../../incident/state/call-store.ts';
import { homeMention, incidentLabel, roomMention, titleBehind } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import type { Room } from '../../incident/state/room-store.ts';
import { sendOnceDirectly } from '../../slack/answer.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, mention, section, sentence, toMrkdwn, toQuote, type Words } from '../../text/blocks.ts';
import { severitySign, signs } from '../../text/signs.ts';
import { andMore } from '../../text/words.ts';

const OnCall = z.object({ incidentID: z.string(), call: z.string() });

/** The answers to a call: the button of each as it looks, and what it stores. */
const answers: readonly (readonly [face: Face, answer: CallAnswer])[] = [
  [
    { id: 'call.coming', label: 'Coming in 5 min', style: 'primary' },
    { answer: 'coming', minutes: 5 },
  ],
  [
    { id: 'call.coming.15', label: 'In 15 min' },
    { answer: 'coming', minutes: 15 },
  ],
  [
    { id: 'call.coming.30', label: 'In 30 min' },
    { answer: 'coming', minutes: 30 },
  ],
  [
    { id: 'call.cannot', label: 'Cannot' },
    { answer: 'cannot', minutes: 0 },
  ],
];

/** The row below the question to a person who is called. It opens the incident with a catch-up. */
function answerRow(call: z.output<typeof OnCall>) {
  const { incidentID } = call;
  return [...answers.map(([face]) => pressable(face, call)), catchUpButton(incidentID, { label: 'Open' })];
}

/**
 * Brings the people of a call's last target into the channel and asks each in a direct message. Each step checks whether its effect exists,
 * so a retry continues where the last attempt stopped. Returns sentences of mrkdwn on what Slack refused; throws RetryLater for what passes.
 */
export async function askPeople(
  context: IntentContext,
  call: StoredCall,
  room: Room | undefined,
): Promise<readonly string[]> {
  const { deps } = context;
  const steps = new RoomSteps(context.log);
  const waiting = call.people.filter(each => each.step === call.step && each.is_asked === 1 && each.answer === 'none');
  const unasked = waiting.filter(each => each.ts === '');
  const outside = await invite(context, room, unasked, steps);
  const isPrivate = unasked.length > 0 && (await deps.visibility.isPrivate({ incidentID: call.incident_id }));
  // They do not see the incident, so they read nothing of it.
  const hidden = isPrivate ? unasked.filter(each => outside.has(each.user_id)) : [];
  if (hidden.length > 0) {
    const names = hidden.map(each => mention(each.user_id));
    const why = 'the incident is private, and they are not in its channel.';
    steps.troubles.push(`I did not ask ${andMore(names, 10)}: ${why}`);
  }
  const words = unasked.length === 0 ? undefined : await callWords(deps, call, room);
  for (const { user_id: user } of unasked.filter(each => words && !hidden.includes(each))) {
    await steps.run(`ask ${mention(user)}`, async () => {
      const message = {
        ...{ words: words ?? { text: '' }, intent: context.id, part: `call/${user}` },
        ...{ mayAlreadyExist: context.isRetry, since: context.askedAt },
      };
      await deps.calls.asked(call.id, user, await sendOnceDirectly(deps.slack, user, message));
    });
  }
  steps.throwDelayed();
  return steps.troubles;
}

/** Invites those who are called; returns those who did not get in. */
async function invite(
  { deps }: IntentContext,
  room: Room | undefined,
  people: StoredCall['people'],
  steps: RoomSteps,
): Promise<ReadonlySet<string>> {
  const users = people.map(each => each.user_id);
  // People are not invited for it to a channel of other things.
  if (room === undefined || room.channelName === '') return new Set(users);
  const refused = new Map<string, string>();
  await steps.run('invite those who are called', async () => {
    for (let at = 0; at < users.length; at += slackLimits.invited)
      for (const [user, why] of await inviteAll(deps, room.channelId, users.slice(at, at + slackLimits.invited)))
        refused.set(user, why);
  });
  for (const [why, some] of Map.groupBy(refused, ([, word]) => word)) {
    const names = some.map(([user]) => mention(user));
    const reason = reasonWords({ data: { error: why } });
    steps.troubles.push(`I could not invite ${andMore(names, 10)} to <#${room.channelId}>: ${reason}`);
  }
  return new Set(refused.keys());
}

/** The question to a person who is called: the incident in a sentence, who calls and why. */
async function callWords(deps: IncidentDeps, call: StoredCall, room: Room | undefined): Promise<Words> {
  const { incident_id: incidentID, id, caller, why, chain } = call;
  const { title, severity } = await readHeadline(deps, incidentID).catch(() => unknownHeadline);
  const bad = severity === '' ? '' : ` · ${severitySign(deps.settings.severities, severity)} ${toMrkdwn(severity, 60)}`;
  const home = room ? homeMention(room) : '';
  const about = `${incidentLabel(incidentID, 'Incident')}${titleBehind(title)}${bad}${home === '' ? '' : ` · ${home}`}`;
  const who = caller === '' ? `You are called, ${chainWords(chain)}.` : `${mention(caller)} calls you.`;
  const said = why === '' ? '' : `\n${toQuote(toMrkdwn(why, 1000))}`;
  const text = `${signs.call} *${about}*\n${who}${said}`;
  return { text, blocks: [section(text), actions(answerRow({ incidentID, call: id }))] };
}

/** Stores the answer of a person who was called, and shows it to them with the ways to change it. */
async function answerCall(ctx: Context, { incidentID, call }: z.output<typeof OnCall>, answer: CallAnswer) {
  const { deps, actor } = ctx;
  const answered = await ctx.change(isFirst => deps.calls.answer(call, actor.userId, answer, isFirst));
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
      const { title, where } = await readSeenPart(ctx, answered.incidentID);
      const { answer, minutes } = answered.counts;
      const sign = answer === 'cannot' ? signs.cannot : signs.coming;
      const said = answer === 'cannot' ? 'cannot come' : answer === 'there' ? 'are there' : `come in ${minutes} min`;
      const behind = where === '' || answer === 'cannot' ? '.' : ` · ${where}`;
      const text = `${sign} ${name}${titleBehind(title)} knows that you ${said}${behind}`;
      return ctx.replace({ text, blocks: [section(text), actions(answerRow({ incidentID, call }))] });
    }
  }
}

/**
 * The incident's title, and its channel as mrkdwn; `""` for a person who does not see the incident any more, and while Slack cannot tell.
 */
async function readSeenPart(
  { deps, actor }: Context,
  incidentID: string,
): Promise<{ readonly title: string; readonly where: string }> {
  const viewer = { ...actor, channelId: '' };
  const isSeen = await deps.visibility.sees('own change', viewer, { incidentID }).catch(() => false);
  if (!isSeen) return { title: '', where: '' };
  const { title } = await readHeadline(deps, incidentID).catch(() => unknownHeadline);
  return { title, where: roomMention(await deps.rooms.ofIncident(incidentID)) };
}

/** The buttons of the question to a person who is called. */
export const answerButtons = answers.map(([face, answer]) =>
  defineButton({ ...face, value: OnCall, run: (ctx, { value }) => answerCall(ctx, value, answer) }),
) as Button[];
