import { decodeEntities } from '../../fake-slack/protocol/entities.ts';
import type { PersonView, WorkspaceView } from '../../workspace/protocol.ts';
import { allEmoji } from '../blocks/emoji.ts';

/** Something that may stand in place of the word before the cursor. */
interface Suggestion {
  /** The text that replaces the word. */
  readonly text: string;
  /** What the list shows, and a remark beside it. */
  readonly label: string;
  readonly remark: string;
}

/** The suggestions for the word before the cursor, and where it begins. */
export interface Completion {
  readonly from: number;
  readonly suggestions: readonly Suggestion[];
}

/** How many suggestions the list shows. */
const most = 8;

/** Completes a command at the beginning, or the `@person`, `#channel` or `:emoji:` before the cursor. `undefined` when nothing fits. */
export function complete(text: string, cursor: number, workspace: WorkspaceView): Completion | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/\S*$/.exec(before);
  if (command !== null) return toCompletion(0, commandsLike(before, workspace));
  const word = /(?:^|[\s(])([@#:])([\p{L}\p{N}_.+-]*)$/u.exec(before);
  if (word === null) return undefined;
  const [, sigil = '', typed = ''] = word;
  const from = cursor - typed.length - 1;
  if (sigil === '@') return toCompletion(from, peopleLike(typed, workspace));
  if (sigil === '#') return toCompletion(from, channelsLike(typed, workspace));
  return typed.length < 2 ? undefined : toCompletion(from, emojiLike(typed));
}

function toCompletion(from: number, suggestions: readonly Suggestion[]): Completion | undefined {
  return suggestions.length === 0 ? undefined : { from, suggestions: suggestions.slice(0, most) };
}

function commandsLike(typed: string, { commands }: WorkspaceView): Suggestion[] {
  const fitting = commands.filter(each => each.name.startsWith(typed));
  return fitting.map(({ name, usage, description }) => ({
    text: `${name} `,
    label: usage === '' ? name : `${name} ${usage}`,
    remark: description,
  }));
}

function peopleLike(typed: string, { people, groups }: WorkspaceView): Suggestion[] {
  const wanted = typed.toLowerCase();
  const fits = (text: string): boolean => text.toLowerCase().includes(wanted);
  const begins = (person: PersonView): boolean => person.name.toLowerCase().startsWith(wanted);
  return [
    ...people
      .filter(each => !each.isDeactivated && (fits(each.name) || fits(each.realName)))
      .toSorted((one, other) => Number(begins(other)) - Number(begins(one)))
      .map(({ name, realName }) => ({ text: `@${name} `, label: `@${name}`, remark: realName })),
    ...groups
      .filter(each => fits(each.handle))
      .map(({ handle }) => ({ text: `@${handle} `, label: `@${handle}`, remark: 'group' })),
  ];
}

function channelsLike(typed: string, { channels }: WorkspaceView): Suggestion[] {
  const fitting = channels.filter(each => each.kind !== 'direct' && each.name.includes(typed.toLowerCase()));
  return fitting.map(({ name, topic }) => ({
    text: `#${name} `,
    label: `#${name}`,
    remark: decodeEntities(topic).slice(0, 60),
  }));
}

function emojiLike(typed: string): Suggestion[] {
  const fitting = allEmoji().filter(([name]) => name.startsWith(typed.toLowerCase()));
  return fitting.slice(0, most).map(([name, emoji]) => ({ text: `:${name}: `, label: emoji, remark: `:${name}:` }));
}
