import { toQuote } from '../../text/blocks.ts';

/** What happened to the incident itself, for the line that tells its room. All are mrkdwn. */
export interface Headline {
  readonly sign: string;
  /** What happened, in a few words without formatting. */
  readonly what: string;
  /** Who did it. */
  readonly by: string;
  /** People's words about it; absent or `""` for none. */
  readonly said?: string;
}

/** The line: its headline in bold, and people's words below it as a quote, with their line breaks. */
export function headlined({ sign, what, by, said = '' }: Headline): string {
  const head = `${sign} *${what}* – ${by}`;
  return said === '' ? head : `${head}\n${toQuote(said)}`;
}
