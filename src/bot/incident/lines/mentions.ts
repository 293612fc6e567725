import type { Incident } from '../../../contract/incidents.ts';
import type { People } from '../../people/directory.ts';
import { userOf } from '../../people/person.ts';
import type { LineTable } from '../../schema/lines.ts';
import { mention, mentioned, toMrkdwn } from '../../text/blocks.ts';

/**
 * Replaces mentions of the actor by their name in each line, so that Slack does not notify them of their own change. A person whose name is
 * not known stays mentioned.
 */
export async function withoutOwnMentions(people: People, lines: readonly LineTable[]): Promise<readonly LineTable[]> {
  const ids = [...new Set(lines.flatMap(actorsOf))];
  const names = new Map(await Promise.all(ids.map(async id => [id, await actorName(people, id)] as const)));
  return lines.map(line => {
    const plain = (text: string) =>
      actorsOf(line).reduce((all, id) => all.replaceAll(mention(id), names.get(id) ?? mention(id)), text);
    return { ...line, words: plain(line.words), undone_by: plain(line.undone_by) };
  });
}

/** The name of a person who acts, as mrkdwn without a notification; their mention where Slack does not say who they are. */
export async function actorName(people: People, userId: string): Promise<string> {
  const person = await people.find(userId).catch(() => undefined);
  return person?.name ? `@${toMrkdwn(person.name, 80)}` : mention(userId);
}

/**
 * Slack's id of the person who declared an incident through Muster, where the API does not name them; `""` otherwise. A Grafana names the
 * account of Muster's token in place of the person.
 */
export async function unnamedDeclarer(
  people: People,
  room: { readonly declaredBy: string } | undefined,
  { createdByUser }: Incident,
): Promise<string> {
  if (!room?.declaredBy) return '';
  return (await people.toSlackId(createdByUser.userID)) === '' ? room.declaredBy : '';
}

/** Slack's ids of the people who made the change, and who took it back. */
function actorsOf({ actor, undone_by }: LineTable): readonly string[] {
  return [userOf(actor), mentioned(undone_by)].filter(each => each !== '');
}
