import { maxTitle } from '../../../contract/incidents.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** Labels given at once, and characters of a label (docs/api-rules.md A6). */
const maxLabels = 20;
export const maxLabel = 100;

/** The title as it is stored, or a sentence of plain text on what is wrong with it (docs/api-rules.md A6). */
export function checkTitle(typed: string): { readonly title: string } | { readonly problem: string } {
  const title = toOneLine(typed);
  if (!/[^\s\p{Cf}]/u.test(title)) return { problem: 'Say in a few words what is happening.' };
  if (title.length <= maxTitle) return { title };
  return {
    problem: `A title has at most ${maxTitle} characters, and this one has ${title.length}. Put the rest in a note.`,
  };
}

/** The labels of a list as people write it: behind commas, semicolons, or each behind its own `#`. */
export function splitLabels(typed: string): readonly string[] {
  return typed.split(/[,;\n]|\s(?=#\S)/).map(label => label.trim().replace(/^[#+](?=\p{L})/u, ''));
}

/** The labels as they are stored, each once and none empty; or a sentence of plain text on what is wrong with them. */
export function checkLabels(
  typed: readonly string[],
): { readonly labels: readonly string[] } | { readonly problem: string } {
  const labels = [...new Set(typed.map(toOneLine))].filter(label => label !== '');
  if (labels.length > maxLabels) return { problem: `At most ${maxLabels} labels at once; these are ${labels.length}.` };
  const long = labels.find(label => label.length > maxLabel);
  if (long === undefined) return { labels };
  return { problem: `A label has at most ${maxLabel} characters, and “${cap(long, 40)}” has ${long.length}.` };
}
