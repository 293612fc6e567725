import { isJsonObject, type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import type { WorkspaceView } from '../../workspace/protocol.ts';

/** A choice in a menu: `value` is what Slack's state holds for it. */
export interface Choice {
  readonly key: string;
  readonly text: string;
  readonly description: string;
  /** The heading that it stands under; empty for none. */
  readonly group: string;
  readonly value: unknown;
}

const words = (text: unknown): string => (isJsonObject(text) ? toText(text.text) : '');

/** The choices of a list of options, or of groups of them. */
export function fromOptions(holder: JsonObject): Choice[] {
  const toChoice = (option: JsonObject, group: string): Choice => ({
    key: toText(option.value),
    text: words(option.text),
    description: words(option.description),
    group,
    value: option,
  });
  return [
    ...toObjects(holder.options).map(option => toChoice(option, '')),
    ...toObjects(holder.option_groups).flatMap(group =>
      toObjects(group.options).map(option => toChoice(option, words(group.label))),
    ),
  ];
}

/** The people that a menu of them offers. */
export function fromPeople({ people }: WorkspaceView): Choice[] {
  return people
    .filter(person => !person.isDeactivated)
    .map(person => ({
      key: person.id,
      text: person.realName || person.name,
      description: `@${person.name}${person.kind === 'app' ? ' (app)' : ''}`,
      group: '',
      value: person.id,
    }));
}

/** The choices that fit what is typed: every word of it is in the text or in the description. */
export function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter(choice => {
    const said = `${choice.text} ${choice.description}`.toLowerCase();
    return wanted.every(word => said.includes(word));
  });
}

/** The choice of a value in Slack's state, which may be one that is no longer offered. */
export function choiceOf(value: unknown, offered: readonly Choice[]): Choice {
  const key = isJsonObject(value) ? toText(value.value) : toText(value);
  const found = offered.find(choice => choice.key === key);
  if (found !== undefined) return found;
  return { key, text: isJsonObject(value) ? words(value.text) : key, description: '', group: '', value };
}
