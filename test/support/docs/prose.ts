/** The six kinds of sentence that a stranger does not understand at the first reading (CONTRIBUTING.md, How we write), as far as a machine can see them. */
const kinds: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a relative clause without its noun', /\bof (?:whom|which)\b|\bstands? (?:in|still|alone|beside)\b/i],
  ['“is to be” for must or will', /\b(?:is|are|was|were) to be\b/i],
  ['a docstring that needs the one above it', /^The same\b/],
  ['an old word', /\banew\b|\bfor ever\b|\bbeside\b/i],
  ['a vague subject', /\b(?:somebody|someone|anybody|whoever|whomever)\b/i],
  ['a clause in place of a noun', /\bwhat (?:became|becomes|came) of\b/i],
];

/** The kinds of a comment's sentences, in plain text. */
export function kindsOfProse(text: string): readonly string[] {
  return kinds.flatMap(([kind, pattern]) => (pattern.test(text) ? [kind] : []));
}

/** The comments of a source, each in one line. Text between quotation marks is that of people, and left out. */
export function commentsOf(source: string): readonly string[] {
  return [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<=^|\s)\/\/ (.*)$/gm)].map(([, block, line]) =>
    withoutQuotes((block ?? line ?? '').replace(/\n\s*\* ?/g, ' ').trim()),
  );
}

/** The paragraphs of a document, without its code and what it quotes. */
export function paragraphsOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '');
  return prose.split(/\n{2,}|\n(?=[-|#] ?)/).map(each => withoutQuotes(each.replace(/\s+/g, ' ').trim()));
}

function withoutQuotes(text: string): string {
  return text.replace(/“[^”]*”|"[^"]*"|`[^`]*`/g, '…');
}

/** Constants and types of one name with one docstring: it says the same twice. */
export function twinsOf(source: string): readonly string[] {
  const docs = [...source.matchAll(/\/\*\* ((?:(?!\*\/)[\s\S])*?) ?\*\/\nexport (?:const|type|interface) (\w+)/g)];
  const seen = new Map<string, string>();
  return docs.flatMap(([, said = '', name = '']) => {
    if (seen.get(name) === said) return [name];
    seen.set(name, said);
    return [];
  });
}
