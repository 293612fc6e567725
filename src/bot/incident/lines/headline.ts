import { toMrkdwn, toQuote } from '../../text/blocks.ts';
import { incidentSigns, severitySign } from '../../text/signs.ts';

/** A change of the incident itself, for the line in its room. All members are mrkdwn. */
interface Headline {
  readonly sign: string;
  /** The change, in a few words without formatting. */
  readonly what: string;
  /** The person who made it. */
  readonly by: string;
  /** People's words about it; absent or `""` for none. */
  readonly said?: string;
}

/** The line: its headline in bold, and people's words below it as a quote, with their line breaks. */
export function headlined({ sign, what, by, said = '' }: Headline): string {
  const head = `${sign} *${what}* – ${by}`;
  return said === '' ? head : `${head}\n${toQuote(said)}`;
}

/** An update as its room reads it; `was` is the severity before it, where it set one. `by`, `next` and `said` are mrkdwn. */
interface UpdateOfLine {
  readonly severity: string;
  readonly was?: string | undefined;
  readonly next?: string;
  readonly by: string;
  readonly said: string;
}

/** The line about an update. Its headline says the severity, if that is known. */
export function updateLine(
  severities: readonly string[],
  { severity, was, next = '', by, said }: UpdateOfLine,
): string {
  const isKnown = severity !== '' && severity !== severities[0];
  const before = was === undefined ? '' : ` (was ${toMrkdwn(was, 60)})`;
  const bad =
    isKnown || before !== '' ? `${severitySign(severities, severity)} ${toMrkdwn(severity, 60)}${before}`.trim() : '';
  const what = ['Update', bad, next].filter(each => each !== '').join(' · ');
  return headlined({ sign: incidentSigns.update, what, by, said });
}
