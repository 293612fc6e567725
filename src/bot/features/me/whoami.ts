import { z } from 'zod';
import type { User } from '../../../contract/users.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue } from '../../dispatch/forms/modal.ts';
import type { Args } from '../../grammar/grammar.ts';
import { incidentsHere } from '../../incident/acts/incidents-here.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import type { Account } from '../../people/accounts.ts';
import type { Person } from '../../people/person.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toComparable } from '../../text/words.ts';

const onlyYours =
  'Your own word, confirmed by nobody: your roles and tasks are recorded under that user, and a note says so. You still act as your Slack account.';

async function runWhoami(ctx: Context, args: Args): Promise<void> {
  const { people } = ctx.deps;
  const wanted = args.rest.trim();
  if (wanted !== '') return offerUsers(ctx, wanted);
  const account = await people.accounts.of(ctx.actor);
  const lines = [
    `*In Slack* you are ${slackWords(ctx.actor)}.`,
    await apiWords(ctx, account),
    await roleWords(ctx, account),
  ].filter(line => line !== '');
  const buttons = [
    ...(account.match?.by === 'slack' || ctx.actor.isGuest ? [] : [pressable(linkButton, {})]),
    ...(account.claim ? [pressable(unlinkButton, {})] : []),
  ];
  await ctx.answer({
    text: lines.join('\n'),
    blocks: [
      section(lines.join('\n')),
      ...(account.claim ? [context(onlyYours)] : []),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
  });
}

function slackWords({ name, email, timeZone, isGuest }: Person): string {
  const known = name ? `*${toMrkdwn(name, 80)}*${email ? ` (${toMrkdwn(email, 120)})` : ''}` : 'unknown';
  const zone = timeZone ? `your time zone is ${toMrkdwn(timeZone, 60)}` : 'Slack does not tell me your time zone';
  return `${known}, ${isGuest ? 'a guest who may read and not change incidents' : 'a full member'}; ${zone}`;
}

async function apiWords(ctx: Context, { match, claim }: Account): Promise<string> {
  const {
    people: { accounts },
    settings: { apiName: api },
  } = ctx.deps;
  const show = async (userID: string) => userWords(userID, await accounts.userOf(userID));
  const matched =
    match && `${await show(match.userID)}, found by your ${match.by === 'email' ? 'e-mail address' : 'Slack account'}`;
  if (claim) {
    const before = matched ? ` It knows you as ${matched}.` : '';
    return `*In ${api}* you say that you are ${await show(claim.userID)}.${before}`;
  }
  if (matched) return `*In ${api}* you are ${matched}.`;
  const way = ctx.actor.isGuest ? '' : ' If you have a user there, press *This is me*.';
  return `*In ${api}* nobody has your Slack account or e-mail address, so you are recorded as \`slack:${ctx.actor.userId}\`.${way}`;
}

function userWords(userID: string, user: User | undefined): string {
  const email = user?.email ? ` (${toMrkdwn(user.email, 120)})` : '';
  return `*${toMrkdwn(user?.name || userID, 80)}*${email}`;
}

/** The roles that the person holds in the incidents of this channel; `""` when there are none. */
async function roleWords(ctx: Context, { match, claim }: Account): Promise<string> {
  const { deps, actor, location, now } = ctx;
  const place = { teamId: actor.teamId, channelId: location.channelId };
  const here = await incidentsHere(deps, place, now);
  const ids = [match?.userID, claim?.userID, `slack:${actor.userId}`];
  const sentences = here.map(async ({ incidentID }) => {
    const incident = await readKnown(deps, incidentID).catch(() => undefined);
    const held = (incident?.incidentMembership.assignments ?? []).filter(({ user }) => ids.includes(user.userID));
    const names = held.map(({ role }) => toMrkdwn(role.name, 60));
    const where = here.length === 1 ? 'this incident' : incidentLabel(incidentID);
    return names.length > 0 ? [`*In ${where}* you are ${names.join(' and ')}.`] : [];
  });
  return (await Promise.all(sentences)).flat().join(' ');
}

const Choice = z.object({});

const linkButton = defineButton({
  id: 'whoami.link',
  label: 'This is me',
  value: Choice,
  run: ctx => offerUsers(ctx, ''),
});

const unlinked = sentence('Unlinked. Whatever was recorded before stays.');

/** Takes the person's statement back. */
const unlinkButton = defineButton({
  id: 'whoami.unlink',
  label: 'Unlink',
  value: Choice,
  run: async ctx => {
    const claimed = await ctx.change(isFirst => ctx.deps.people.accounts.claim(ctx.actor, undefined, isFirst));
    if (claimed?.counts) return ctx.replace(await linkedWords(ctx, claimed.counts));
    await ctx.replace(unlinked);
  },
});

async function linkedWords({ deps }: Context, { userID }: NonNullable<Account['claim']>): Promise<Words> {
  const text = `You are linked to ${userWords(userID, await deps.people.accounts.userOf(userID))}.`;
  return { text, blocks: [section(text), context(onlyYours), actions([pressable(unlinkButton, {})])] };
}

/** Opens the form with the users whom the person may be, the likeliest first. `wanted` is part of a name or an e-mail address. */
async function offerUsers(ctx: Context, wanted: string): Promise<void> {
  if (ctx.actor.isGuest)
    return ctx.reject(`Guests hold no roles, so they are not linked to a user of ${ctx.deps.settings.apiName}.`);
  const {
    people: { accounts },
    settings: { apiName: api },
  } = ctx.deps;
  const account = await accounts.of(ctx.actor);
  if (account.match?.by === 'slack') {
    return ctx.reject(`${api} links your Slack account to a user itself. Change the link there.`);
  }
  const free = await accounts.free(ctx.actor);
  const fitting = free.filter(user => fits(user, wanted));
  if (fitting.length === 0) {
    const text = wanted
      ? `${api} has no user who fits “${toMrkdwn(wanted, 80)}” and could be you.`
      : `${api} has no user who could be you.`;
    return ctx.reject(`${text} Users who belong to somebody else are not offered.`);
  }
  const likely = fitting.toSorted((one, other) => likeness(other, ctx.actor) - likeness(one, ctx.actor));
  const user = likely.slice(0, slackLimits.options).map(({ name, userID, email }) => {
    const label = name || userID;
    return { value: userID, label: email ? `${label} (${email})` : label };
  });
  const isCut = likely.length > slackLimits.options;
  await ctx.openForm(form, { isCut }, { user: account.claim?.userID ?? '' }, { user });
}

function fits({ name, email, userID }: User, wanted: string): boolean {
  return [name, email, userID].some(each => toComparable(each).includes(toComparable(wanted)));
}

/** How many words of the person's name and address are in the user's. */
function likeness(user: User, { name, email }: Person): number {
  const words = `${name} ${email.split('@')[0]}`.split(/[\s._-]+/).filter(word => word.length > 1);
  return words.filter(word => fits(user, word)).length;
}

const form = defineModal({
  id: 'whoami.link',
  state: z.object({ isCut: z.boolean() }),
  view: ({ isCut }, filled, { offered }) => ({
    title: 'This is me',
    submit: 'Link',
    blocks: [
      choiceField({ id: 'user', label: 'Which user are you?', options: offered?.user ?? [] }, filled),
      context(onlyYours),
      ...(isCut ? [context('Not all users fit in here. `/muster whoami <part of your name>` narrows them down.')] : []),
    ],
  }),
  check: filled => {
    const user = fieldValue(filled, 'user');
    return user === '' ? { problems: { user: 'Pick yourself.' } } : { value: user };
  },
  submit: async (ctx, userID) => {
    const { accounts } = ctx.deps.people;
    const claimed = await ctx.change(isFirst => accounts.claim(ctx.actor, userID, isFirst));
    if (claimed) return ctx.answer(claimed.counts ? await linkedWords(ctx, claimed.counts) : unlinked);
    const user = userWords(userID, await accounts.userOf(userID));
    await ctx.reject(`I did not link you to ${user}: that user belongs to somebody else, or cannot be read now.`);
  },
});

/** The API's user of a person, and their own word on it. */
export const whoami: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'whoami',
      usage: '[part of your name]',
      summary: 'Show who Muster takes you for, and link yourself to the right user.',
      about: 'anything',
      reads: true,
      run: runWhoami,
    },
  ],
  modals: [form],
  buttons: [linkButton, unlinkButton],
};
