import { expect, test } from 'vitest';
import { registerDemo } from '../../../playground/main.ts';
import { examplesOf, helpOf, openCommandLine } from '../../support/program.ts';

const openDemo = () => openCommandLine(registerDemo);

test('the help of the demo has its options, and examples of them that can be copied', () => {
  const { program } = openDemo();
  expect(helpOf(program)).toMatch(/^Usage: npm run demo -- \[options\]\n/);
  const options = program.options.map(each => each.long ?? '');
  expect(options.toSorted()).toEqual(['--data', '--fresh', '--open', '--play', '--port', '--watch']);
  for (const option of options) expect(helpOf(program)).toMatch(new RegExp(`^ {2}${option} .*\\w`, 'm'));
  const examples = examplesOf(program);
  expect(examples.length).toBeGreaterThan(1);
  for (const example of examples) {
    const [, option = ''] = /^npm run demo -- (--\w+)$/.exec(example) ?? [];
    expect(options).toContain(option);
  }
});

test.each([
  [['--port', 'http'], /“http” is no number from 0 to 65535/],
  [['--port', '65536'], /“65536” is no number from 0 to 65535/],
  [['--watch', '--play'], /'--watch' cannot be used with option '--play'/],
  [['--watch', '--fresh'], /'--watch' cannot be used with option '--fresh'/],
  [['--watch', '--open'], /'--watch' cannot be used with option '--open'/],
  [['--colour'], /unknown option '--colour'/],
  [['now'], /too many arguments/],
])('the demo refuses %j with a sentence', async (words, sentence) => {
  await expect(openDemo().run(...words)).rejects.toThrow(sentence);
});
