import { andMore } from '../text/words.ts';
import type { Finding } from './finding.ts';

/** A sign for each state, readable without colours. */
const signs = { ok: 'ok', failing: 'FAILING', unknown: 'unknown' } as const;

/** Whether nothing stops working. What cannot be seen does not count. */
export function isWell(findings: readonly Finding[]): boolean {
  return findings.every(each => each.state !== 'failing');
}

/** Lines that a summary names, at most. */
const mostNamed = 5;

/** One sentence on the whole report. It names what fails. */
export function summarize(findings: readonly Finding[]): string {
  const of = (state: Finding['state']) => findings.filter(each => each.state === state);
  const [failing, unseen] = [of('failing'), of('unknown').length];
  const well = `${of('ok').length} checks passed`;
  const rest = unseen === 0 ? '' : `, ${unseen} cannot be checked from here`;
  if (failing.length === 0) return `No problems found: ${well}${rest}.`;
  const all = andMore(
    failing.map(each => each.subject),
    mostNamed,
  );
  return `${failing.length} ${failing.length === 1 ? 'check fails' : 'checks fail'} (${all}); ${well}${rest}.`;
}

/** The report for a terminal. What only time and people can tell is one line for all events, and one for all commands. */
export function toReportText(findings: readonly Finding[]): string {
  const unseen = (kind: string) =>
    findings.filter(each => each.state === 'unknown' && each.subject.startsWith(`${kind} `));
  const [events, commands] = [unseen('event'), unseen('command')];
  const others = findings.filter(each => !events.includes(each) && !commands.includes(each));
  const lines = others.flatMap(({ state, subject, found, stops, fix }) => [
    `${signs[state].padEnd(8)} ${subject}: ${found}`,
    ...(stops === '' ? [] : [`         ${state === 'failing' ? 'stops' : 'would stop'}: ${stops}`]),
    ...(fix === '' ? [] : [`         ${state === 'failing' ? 'do' : 'find out'}: ${fix}`]),
  ]);
  const folded = [
    ...toFolded(events, {
      names: each => each.subject.replace(/^event /, ''),
      found: (count, have) => `${count} ${have} not arrived yet; most are rare`,
      fix: 'Once something of the kind has happened, it must be in the app’s Event Subscriptions; “muster doctor --json” says what each is for.',
    }),
    ...toFolded(commands, {
      names: each => each.subject.replace(/^command /, ''),
      found: (count, have) => `${count} ${have} not arrived lately; another app may have taken one`,
      fix: 'Type each with “help” behind it in Slack. If Muster does not answer, another app has it, or this app lacks it.',
    }),
  ];
  return [...lines, ...folded, '', summarize(findings), ''].join('\n');
}

function toFolded(
  unseen: readonly Finding[],
  say: { names: (each: Finding) => string; found: (count: string, have: string) => string; fix: string },
): readonly string[] {
  const [first] = unseen;
  if (!first) return [];
  const kind = first.subject.split(' ', 1)[0] ?? '';
  const count = unseen.length === 1 ? `1 ${kind}` : `${unseen.length} ${kind}s`;
  const have = unseen.length === 1 ? 'has' : 'have';
  return [
    `${signs.unknown.padEnd(8)} ${kind}s: ${say.found(count, have)}: ${unseen.map(say.names).join(', ')}.`,
    `         find out: ${say.fix}`,
  ];
}
