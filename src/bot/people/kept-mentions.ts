import { z } from 'zod';
import type { Slack } from '../slack/clients.ts';
import { cap, stripControls, toUnformatted } from '../text/words.ts';

/** A person or a user group that a text names, by Slack's id; `shown` is the name in the text, with its `@`. */
export const KeptMention = z.object({ kind: z.enum(['user', 'group']), id: z.string(), shown: z.string() });
export type KeptMention = z.output<typeof KeptMention>;

/** A group's handle as people type it where Slack makes no mention of it. */
const typedHandle = /(?<![\p{L}\p{N}@._-])@([a-z0-9][a-z0-9._-]*)/giu;

/**
 * A person's text as mrkdwn in which those whom it names are notified, and nobody else: a name counts as often as Slack made a mention
 * of it, and `@here`, `@channel` and `@everyone` are words. Cut to `max` characters of the text.
 */
export function toMentioning(text: string, mentions: readonly KeptMention[], max: number): string {
  const shown = cap(stripControls(text), max);
  const waiting = [...mentions];
  let safe = '';
  let end = 0;
  for (const { 0: name, index } of shown.matchAll(anyOf(mentions))) {
    const at = waiting.findIndex(each => each.shown === name);
    const [found] = at < 0 ? [] : waiting.splice(at, 1);
    if (!found) continue;
    safe +=
      toUnformatted(shown.slice(end, index)) + (found.kind === 'user' ? `<@${found.id}>` : `<!subteam^${found.id}>`);
    end = index + name.length;
  }
  return safe + toUnformatted(shown.slice(end));
}

/** The names in a text, the longest first: one may begin another. */
function anyOf(mentions: readonly KeptMention[]): RegExp {
  const names = [...new Set(mentions.map(each => each.shown))].sort((one, other) => other.length - one.length);
  const any = names.map(name => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  return new RegExp(any === '' ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'gu');
}

/**
 * The mentions of a text with those groups that it names by their handles, as in a form, where Slack makes no mentions. Handles are
 * unique; people's names are not, so nobody is guessed. Without Muster itself, and never more than fifty.
 */
export async function withGroups(
  { groups: named, identity }: Slack,
  text: string,
  mentions: readonly KeptMention[],
): Promise<readonly KeptMention[]> {
  const known = new Set(mentions.map(each => each.shown));
  const handles = [...text.matchAll(typedHandle)].flatMap(([shown, handle = '']) => (known.has(shown) ? [] : [handle]));
  const ids = handles.length === 0 ? [] : [...(await named.handles())];
  const groups = handles.flatMap(handle => {
    const id = ids.find(([, each]) => each === handle)?.[0];
    return id === undefined ? [] : [{ kind: 'group' as const, id, shown: `@${handle}` }];
  });
  return [...mentions, ...groups].filter(each => each.id !== identity.botUserId).slice(0, most);
}

const most = 50;
