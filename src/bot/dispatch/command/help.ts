import { actions, context, section, sections, toMrkdwn, type Words } from '../../text/blocks.ts';
import { withSpokenText } from '../../text/spoken.ts';
import { escapeMrkdwn } from '../../text/words.ts';

import { otherWords, pressable, rootOf, type Shortcut, type Verb } from '../feature/feature.ts';
import { allCommandsButton, hereButton } from './help-buttons.ts';

/** A topic of help: the most common, everything, one noun, or one verb. */
export interface HelpTopic {
  readonly isWhole?: true | undefined;
  readonly noun?: string | undefined;
  readonly verb?: string | undefined;
}

/** A noun with more verbs than these answers `help` with what people type most, and lists them for `help all`. */
const maxListed = 12;

function isTooLong(verbs: readonly Verb[]): boolean {
  return verbs.length > maxListed;
}

/** Makes the help on any topic. Help depends on the features alone, so each topic is rendered once. */
export function createHelp(
  verbs: readonly Verb[],
  shortcuts: readonly Shortcut[],
  commandRoot: string,
): (topic: HelpTopic) => Words {
  const known = new Map<string, Words>();
  return topic => {
    const name = `${topic.noun ?? ''} ${topic.verb ?? ''} ${topic.isWhole ?? ''}`;
    const words = known.get(name) ?? withSpokenText(help(verbs, shortcuts, commandRoot, topic));
    known.set(name, words);
    return words;
  };
}

/** Renders help from the list of verbs. Pure, so that it rides in the acknowledgement. */
export function help(
  verbs: readonly Verb[],
  shortcuts: readonly Shortcut[],
  commandRoot: string,
  topic: HelpTopic,
): Words {
  const shown = verbs.filter(
    ({ noun, verb, synonymOf }) =>
      (!topic.noun || noun === topic.noun) && (topic.verb ? verb === topic.verb : synonymOf === undefined),
  );
  const one = topic.verb ? shown[0] : undefined;
  if (one) return verbHelp(one, commandRoot);
  // It reads nothing, so that it rides in the acknowledgement.
  if (!topic.isWhole && (!topic.noun || isTooLong(shown))) {
    const below = `Every command also works as \`/${commandRoot} task add …\`, by mentioning me, and in a direct message to me.`;
    const learned = verbs.filter(each => !each.meansResolved);
    return learnedWords('*Muster runs incidents from here.*', learned, { below, isHere: true });
  }
  const nouns = [...new Set(shown.map(verb => verb.noun))];
  const title = topic.noun ? `*/${topic.noun}* can` : '*All commands*';
  const [first] = shown;
  const example = first ? `\`/${first.noun} ${first.verb} help\`` : `\`/${commandRoot} help\``;
  const lists = nouns.flatMap(noun =>
    sections(
      shown
        .filter(verb => verb.noun === noun)
        .map(verb => `\`${command(verb, commandRoot)}\` ${escapeMrkdwn(verb.summary)}`),
    ),
  );
  const menus = topic.noun
    ? []
    : shortcuts.map(
        each =>
          `*${each.name}* in the ${each.kind === 'message' ? 'menu of a message' : 'shortcuts menu'}: ${escapeMrkdwn(each.description)}`,
      );
  return {
    text: `Help: ${shown.map(verb => `/${verb.noun} ${verb.verb}`).join(', ')}`,
    blocks: [
      section(title),
      ...lists,
      ...sections(menus),
      context(
        `Every command also works as \`/${commandRoot} task add …\` and by mentioning me, in threads too. Add \`help\` to a command to learn more: ${example}.`,
      ),
    ],
  };
}

/** The verbs among these that everybody learns, a line each, as mrkdwn. */
export function learnedLines(verbs: readonly Verb[]): string {
  return verbs.flatMap(({ example }) => (example ? `• ${escapeMrkdwn(example)}` : [])).join('\n');
}

/** The words that everybody learns, and the way to the rest: `isHere`, also a button for the incident at hand. `below` is small print. */
export function learnedWords(
  title: string,
  verbs: readonly Verb[],
  { below, isHere }: { readonly below: string; readonly isHere: boolean },
): Words {
  const lines = learnedLines(verbs);
  return {
    text: [title, lines].join('\n'),
    blocks: [
      section(title),
      section(lines),
      actions([...(isHere ? [pressable(hereButton, {})] : []), pressable(allCommandsButton, {})]),
      ...(below === '' ? [] : [context(below)]),
    ],
  };
}

function verbHelp(verb: Verb, commandRoot: string): Words {
  const flags = Object.entries(verb.flags ?? {}).map(
    ([name, flag]) => `\`--${name}\`${flag.hint ? ` ${escapeMrkdwn(flag.hint)}` : ''}`,
  );
  const also = otherWords(verb).map(alias => `\`${alias}\``);
  return {
    text: `${command(verb, commandRoot)}: ${escapeMrkdwn(verb.summary)}`,
    blocks: [
      section(`\`${command(verb, commandRoot)}\`\n${escapeMrkdwn(verb.summary)}`),
      ...(flags.length > 0 ? [section(flags.join('\n'))] : []),
      ...(also.length > 0
        ? [context(`Also: ${also.join(', ')}. Everywhere: \`/${commandRoot} ${verb.noun} ${verb.verb}\`.`)]
        : []),
    ],
  };
}

function command(verb: Verb, commandRoot: string): string {
  return `/${rootOf(verb, commandRoot)} ${verb.verb}${verb.usage ? ` ${escapeMrkdwn(verb.usage)}` : ''}`;
}

/** The sentences on an unknown verb: what Muster has in its place, and where help is. `meant` is a list of verbs. */
export function unknownVerb(
  { typed, noun, says }: { typed: string; noun?: string; says: string },
  meant: readonly { noun: string; verb: string }[],
  { verbs, commandRoot }: { readonly verbs: readonly Verb[]; readonly commandRoot: string },
): string {
  const isLong = isTooLong(verbs.filter(verb => verb.noun === noun && verb.synonymOf === undefined));
  const list = noun ? `${noun} help${isLong ? ' all' : ''}` : `${commandRoot} help all`;
  const names = [...new Set(meant.map(each => `\`/${each.noun} ${each.verb}\``))].join(' or ');
  const all = `\`/${list}\` lists all commands.`;
  if (says !== '') return `${says}\n${all}`;
  const none = `There is no command “${toMrkdwn(typed, 80)}”${noun ? ` for /${noun}` : ''}.`;
  return `${none} ${names ? `Did you mean ${names}?` : all}`;
}
