import { toMrkdwn } from '../text/blocks.ts';
import { ownZone } from '../text/zones.ts';
import type { Person } from './person.ts';

/* Reach and access: the people who are told of incidents, act on them and are called, and the sentences for all others. */

/**
 * Why a person is out of reach. `unknown`: Slack does not know them here. `stranger`: they are of another organisation. `left`: their account
 * is deactivated. `bot`: Slackbot too. `guest`: they read, and neither act nor come (docs/decisions.md, Guests and strangers).
 */
export type Absence = 'unknown' | 'stranger' | 'left' | 'bot' | 'guest';

/**
 * Why a person is not told of incidents, does not act on them, or is not called to them; undefined when they are. This is the one rule for it.
 * Whether they see an incident is another question (`visibility.ts`).
 */
export function whyOut(person: Person | undefined, what: 'told' | 'act' | 'called'): Absence | undefined {
  if (person === undefined) return 'unknown';
  if (person.isStranger) return 'stranger';
  if (person.isDeleted) return 'left';
  if (person.isBot) return 'bot';
  return person.isGuest && what !== 'told' ? 'guest' : undefined;
}

/** The words behind the name of a person who left, `""` behind any other; `absent` are people who cannot act, by their ids. */
export function leftBehind(absent: ReadonlyMap<string, Absence>, id: string): string {
  return absent.get(id) === 'left' ? ' (has left)' : '';
}

/** Refusal for a person we cannot identify. */
export const unknownPerson =
  'I cannot see your Slack profile, so I cannot let you see or change incidents. Ask somebody of this workspace to do it.';

/** What a person reads who may not act or read, by the reason. */
const ownWords: Readonly<Record<Absence, string>> = {
  unknown: unknownPerson,
  stranger:
    'You are from another workspace or organisation, so you cannot see or change the incidents of this one. Ask somebody of this one to do it.',
  left: 'Your Slack account is deactivated here. Ask an administrator of the workspace to restore it.',
  bot: 'Bots cannot do this. Ask a member of the workspace.',
  guest: 'You are a guest in this workspace, and guests cannot change incidents. Ask a full member to do it.',
};

/**
 * Why a person may not change incidents, as a sentence for them; undefined when they may. Guests may read; only members of the
 * workspace may change (docs/decisions.md, Guests and strangers; docs/slack.md 8).
 */
export function whyNot(person: Person): string | undefined {
  const why = whyOut(person, 'act');
  return why && ownWords[why];
}

/** Why a person may not change what all incidents share, as a sentence for them; undefined when they may. */
export function whyNotAdmin(person: Person): string | undefined {
  const asMember = 'Only administrators of this workspace can change the list of roles. Ask one of them to do it.';
  return whyNot(person) ?? (person.isAdmin ? undefined : asMember);
}

/** Thrown when a person may not do what they ask for. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

/** Throws {@link NotAllowed} with the sentence of a rule that does not let a person do something. */
export function mustPass(rule: (person: Person) => string | undefined, person: Person): void {
  const problem = rule(person);
  if (problem !== undefined) throw new NotAllowed(problem);
}

/** Why a person may not read incidents, as a sentence for them; undefined when they may. */
export function whyNotRead(person: Person): string | undefined {
  const why = whyOut(person, 'told');
  return why && ownWords[why];
}

/**
 * Why a person may not look at dashboards, as a sentence for them; undefined when they may. A guest sees what was linked to the
 * incidents they see, and nothing else (docs/decisions.md, Dashboards from Slack).
 */
export function whyNotDashboards(person: Person): string | undefined {
  const asGuest =
    'You are a guest in this workspace, and I show dashboards to full members only. `/dash recent` lists those of the incidents you see.';
  return whyNotRead(person) ?? (person.isGuest ? asGuest : undefined);
}

/** Why a person whom others name is out of reach, by the reason. `name` is mrkdwn; `asGuest` says why a guest is. */
function namedWords(why: Absence, name: string, asGuest = ''): string {
  const words: Readonly<Record<Absence, string>> = {
    unknown: `Slack does not know ${name} here: name somebody in this workspace.`,
    stranger: `${name} is from another workspace or organisation: name somebody of this one.`,
    left: `${name} has left this workspace: name somebody who is still here.`,
    bot: `${name} is a bot: name a person.`,
    guest: asGuest,
  };
  return words[why];
}

/**
 * Why a person cannot hold a role in an incident; undefined when they can. A holder must be able to act, and a guest cannot
 * (docs/decisions.md, Guests and strangers). `name` is mrkdwn.
 */
export function whyNotHolder(person: Person, name: string): string | undefined {
  const why = whyOut(person, 'act');
  return why && namedWords(why, name, `${name} is a guest and could not act in that role: name a full member.`);
}

/** Why a person is not called to an incident; undefined when they are. Who is called must be able to act. `name` is mrkdwn. */
export function whyNotCalled(person: Person | undefined, name: string): string | undefined {
  const why = whyOut(person, 'called');
  return why && namedWords(why, name, `${name} is a guest, and guests are not called.`);
}

/** Why a person cannot be named in an incident; undefined when they can. `name` is mrkdwn. */
export function whyNotMentioned(person: Person | undefined, name: string): string | undefined {
  const why = whyOut(person, 'told');
  return why && namedWords(why, name);
}

/**
 * Why a person may not do what a team keeps for the members of one of its Slack groups, as a sentence for them; undefined when they may.
 * `group` is its handle, `act` the end of a sentence, both mrkdwn. `members`: Slack ids; undefined where there is no such group.
 */
export function whyNotOfGroup(
  { userId }: Person,
  {
    group,
    members,
    act,
  }: { readonly group: string; readonly members: readonly string[] | undefined; readonly act: string },
): string | undefined {
  if (members === undefined)
    return `There is no Slack group @${group}, whose members may ${act}. Tell your Muster administrator.`;
  return members.includes(userId) ? undefined : `Only the members of @${group} may ${act}. Ask one of them to do it.`;
}

/**
 * The names of the people whom a call or a page can reach (mrkdwn), in their order: no guest, stranger, bot, and nobody who left or whom Slack
 * does not know. With a moment, each with the time of day where they are: `bob (07:15)`. Throws Slack's error.
 */
export async function namesReached(
  people: { find(userId: string): Promise<Person | undefined> },
  ids: readonly string[],
  now?: Date,
): Promise<readonly string[]> {
  const found = await Promise.all(ids.map(id => people.find(id)));
  return found.flatMap(person => {
    if (person === undefined || whyOut(person, 'called') !== undefined) return [];
    const { timeZone } = person;
    const clock = now && timeZone !== '' ? ` (${clockIn(timeZone, now)})` : '';
    return [`${toMrkdwn(person.name || 'somebody', 80)}${clock}`];
  });
}

function clockIn(timeZone: string, now: Date): string {
  return new Date(now.getTime() + ownZone(timeZone).offsetAt(now) * 60_000).toISOString().slice(11, 16);
}
