/** What a change of sources reaches, from narrow to wide: the page, the bot's process, the playground, the command itself. */
const widths = ['page', 'bot', 'playground', 'command'] as const;
export type Reach = (typeof widths)[number];

/** What the first pattern that fits says. */
const reaches: readonly (readonly [RegExp, Reach])[] = [
  // Read anew at each request.
  [/^playground\/page\//, 'page'],
  // The playground reads the app's manifest from them too; the supervisor looks whether that has changed.
  [/^(bot\/|app\.ts$)/, 'bot'],
  [/^(commands\/|main\.ts$|playground\/watch\/)/, 'command'],
  [/^/, 'playground'],
];

/** What the change of some files reaches, by their paths below src/: the widest of their reaches. */
export function reachOf(paths: readonly string[]): Reach {
  const all = new Set(paths.map(path => reaches.find(([pattern]) => pattern.test(path))?.[1]));
  return widths.findLast(each => all.has(each)) ?? 'page';
}
