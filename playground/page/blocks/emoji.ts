import { nameToEmoji } from 'gemoji';

/** Slack's names of emoji that gemoji calls otherwise. */
const slackNames: Readonly<Record<string, string>> = {
  large_red_circle: '🔴',
  large_orange_circle: '🟠',
  large_yellow_circle: '🟡',
  large_green_circle: '🟢',
  large_purple_circle: '🟣',
  large_brown_circle: '🟤',
  large_red_square: '🟥',
  large_orange_square: '🟧',
  large_yellow_square: '🟨',
  large_green_square: '🟩',
  large_blue_square: '🟦',
  large_purple_square: '🟪',
  large_brown_square: '🟫',
  satellite_antenna: '📡',
  waving_white_flag: '🏳️',
  waving_black_flag: '🏴',
  thumbsup_all: '👍',
  face_with_monocle: '🧐',
  slightly_smiling_face: '🙂',
  simple_smile: '🙂',
  knife_fork_plate: '🍽️',
  spiral_note_pad: '🗒️',
  spiral_calendar_pad: '🗓️',
  card_file_box: '🗃️',
  lower_left_ballpoint_pen: '🖊️',
  hammer_and_wrench: '🛠️',
  thinking_face: '🤔',
  male_firefighter: '👨‍🚒',
  female_firefighter: '👩‍🚒',
  ladybug: '🐞',
  double_vertical_bar: '⏸️',
  black_circle_for_record: '⏺️',
  black_square_for_stop: '⏹️',
  heavy_multiplication_x: '✖️',
  'flag-us': '🇺🇸',
  'flag-gb': '🇬🇧',
  'flag-de': '🇩🇪',
};

/** The skin tones of `:name::skin-tone-2:` to `:skin-tone-6:`. */
const skinTones = ['🏻', '🏼', '🏽', '🏾', '🏿'];

/** The character of an emoji by its name in Slack; `undefined` when there is none. */
export function emojiOf(name: string): string | undefined {
  const [, base = name, tone] = /^(.+?)(?:::skin-tone-([2-6]))?$/.exec(name) ?? [];
  const found = lookUp(slackNames, base) ?? lookUp(nameToEmoji, base);
  if (found === undefined || tone === undefined) return found;
  return found.replace(/\uFE0F$/u, '') + (skinTones[Number(tone) - 2] ?? '');
}

function lookUp(names: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/** Every emoji with its names, Slack's too, for pickers. */
export function allEmoji(): readonly (readonly [name: string, emoji: string])[] {
  return Object.entries({ ...nameToEmoji, ...slackNames });
}
