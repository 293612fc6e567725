/** A part of a document that can be cited: a heading, and everything below it until the next one of its level. */
interface Section {
  readonly heading: string;
  /** What can be cited within it: lower headings, bold words that open a line, first cells of tables. Lower case. */
  readonly labels: readonly string[];
  /** Numbers of its ordered lists: `C2, step 6`. */
  readonly steps: ReadonlySet<string>;
}

/** One document, cut into the sections that can be cited. */
export type Sections = readonly Section[];

/** Cuts a Markdown document into its sections, at headings outside of code. */
export function readSections(markdown: string): Sections {
  const lines = withoutCode(markdown).split('\n');
  const headings = lines.flatMap((line, at) => {
    const match = /^(#{1,6}) +(.*)$/.exec(line);
    return match ? [{ at, level: match[1]?.length ?? 0, text: match[2] ?? '' }] : [];
  });
  return headings.map(({ at, level, text }, index) => {
    const next = headings.slice(index + 1).find(other => other.level <= level);
    const body = lines.slice(at + 1, next?.at);
    return {
      heading: plain(text),
      labels: body
        .flatMap(line => /^#+ +(.*)$|^(?:[-*] +)?\*\*(.+?)\*\*|^\| *([^|]+?) *\|/.exec(line)?.slice(1) ?? [])
        .filter(label => label !== undefined)
        .map(plain),
      steps: new Set(body.flatMap(line => /^(\d+)\. /.exec(line)?.[1] ?? [])),
    };
  });
}

/**
 * Why a citation leads nowhere; undefined when it leads somewhere. `after` is what follows the document's name: ` A6, B`,
 * ` C2, step 6`, `, part D`, `, Paging rule`. A comma after a document or a section always goes on with a part of it.
 */
export function findProblem(sections: Sections, after: string): string | undefined {
  const [first, begin = ''] = /^(?: |, part )([A-D]\d{0,2}|\d{1,2})\b/.exec(after) ?? [];
  if (first === undefined) {
    const words = /^, (.+)/.exec(after)?.[1];
    return words === undefined || sections.some(each => opens(words, each.heading))
      ? undefined
      : `no heading "${words}"`;
  }
  const isNumber = /\d/.test(begin[0] ?? '');
  const more = isNumber ? /^(?:, | and |–)(\d{1,2})\b/ : /^(?:, | and |–)([A-D]\d{0,2})\b/;
  let rest = after.slice(first.length);
  let id = begin;
  for (;;) {
    const problem = findNumber(sections, id) ? undefined : `no section ${id}`;
    const next = more.exec(rest);
    if (problem !== undefined) return problem;
    if (next === null) break;
    id = next[1] ?? '';
    rest = rest.slice(next[0].length);
  }
  const part = /^, (.+)/.exec(rest)?.[1];
  if (part === undefined) return undefined;
  const section = findNumber(sections, id);
  const step = /^step (\d+)/.exec(part)?.[1];
  const isThere = step === undefined ? section?.labels.some(label => opens(part, label)) : section?.steps.has(step);
  return isThere ? undefined : `nothing called "${part}" in ${id}`;
}

/** The section of a number; `D12` is a row of D's table. */
function findNumber(sections: Sections, id: string): Section | undefined {
  return (
    sections.find(each => new RegExp(`^${id}\\b`, 'i').test(each.heading)) ??
    sections.find(each => /^[A-D]\d+$/.test(id) && each.labels.includes(id.toLowerCase()))
  );
}

/** Whether a text begins with a label, whatever its case and its quotes, and the label's last word ends there. */
function opens(text: string, label: string): boolean {
  const begin = plain(text);
  return label !== '' && begin.startsWith(label.toLowerCase()) && !/^\w/.test(begin.slice(label.length));
}

function plain(markdown: string): string {
  return markdown
    .replace(/[`"“”*]/g, '')
    .trim()
    .toLowerCase();
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```.*?^```/gms, '');
}
