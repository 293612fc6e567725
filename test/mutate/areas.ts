/** Folders whose code is mutated, and the tests that must notice. */
export const areas: Readonly<Record<string, readonly string[]>> = {
  'src/bot/grammar': ['test/unit/bot/grammar/**/*.test.ts'],
  'src/bot/people': ['test/unit/bot/people/**/*.test.ts'],
  'src/bot/inbox': ['test/unit/bot/inbox/**/*.test.ts', 'test/stories/deliveries-{again,crash,order}.test.ts'],
  'src/bot/journal': ['test/unit/bot/journal/**/*.test.ts'],
};
