import { expect, test } from 'vitest';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import type { VerbShape } from '../../../../src/bot/grammar/verb.ts';
import { toPlainText } from '../../../../src/bot/text/words.ts';

const verbs: VerbShape[] = [{ noun: 'note', verb: 'add', argumentKind: 'prose', usage: '', summary: '' }];

/** What `/note add` notes of a text. */
function noted(text: string): string {
  const parsed = parseCommand(verbs, { root: '/note', commandRoot: 'muster', text: `add ${text}` });
  return parsed.kind === 'verb' ? parsed.args.text : JSON.stringify(parsed);
}

/** What people type, as Slack sends it: it makes links of whatever may be a host. */
const typed = [
  ['restarted <http://db-1.example.com|db-1.example.com>', 'restarted db-1.example.com'],
  ['edit <http://deploy.sh|deploy.sh> and <http://main.rs|main.rs>', 'edit deploy.sh and main.rs'],
  ['<http://README.md|README.md> is wrong', 'README.md is wrong'],
  ['<http://api.eu.example.com:8443|api.eu.example.com:8443> times out', 'api.eu.example.com:8443 times out'],
  ['see <http://example.com/a/b?c=1&amp;d=2|example.com/a/b?c=1&amp;d=2>', 'see example.com/a/b?c=1&d=2'],
  ['<http://www.example.com|www.example.com>.', 'www.example.com.'],
  ['<http://example.com/|example.com>', 'example.com'],
  ['<http://EXAMPLE.com|Example.com> is up', 'Example.com is up'],
  ['mail <mailto:ops@example.com|ops@example.com>', 'mail ops@example.com'],
  ['call <tel:+4930123456|+4930123456>', 'call +4930123456'],
  ['<https://example.com/caf%C3%A9|example.com/café>', 'example.com/café'],
  ['<https://example.com/x>', 'https://example.com/x'],
  ['<https://example.com/x|https://example.com/x>', 'https://example.com/x'],
  ['<http://node.js|node.js>, <http://asp.net|asp.net>', 'node.js, asp.net'],
  ['<https://wiki.example.com/r|the runbook> says so', 'the runbook (https://wiki.example.com/r) says so'],
  ['<https://evil.example|bank.example>', 'bank.example (https://evil.example)'],
  ['<https://example.com/%E0%A4%A|odd>', 'odd (https://example.com/%E0%A4%A)'],
];

test.each(typed)('“%s” reads “%s” in a message and in a command', (slackText, words) => {
  expect(toPlainText(slackText)).toBe(words);
  expect(noted(slackText)).toBe(words);
});
