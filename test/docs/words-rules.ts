/** A line of test/words.md that breaks a rule, with the name of the rule. */
export interface Broken {
  readonly rule: string;
  readonly text: string;
}

/** Phrases that nobody says, each with its kind: what stands there and what is wrong with it. */
const phrases: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ['a preposition before a relative day', /\b(?:at|on) (?:today|yesterday|tomorrow)\b/i],
  ['“at” before a date', /\bat (?:[A-Z][a-z]{2} \d{1,2}\b|\d{4}-\d\d-\d\d)/],
  ['“began at”, “started at”, “ended at” a time', /\b(?:began|started|ended) at (?:\d|‹)/i],
  ['“There are” before a list of names', /\bThere are (?!\d|no\b|more\b|none\b|too\b)/],
  ['“and somebody no longer”', /, and [^.]* no longer\b/],
  ['“handed it to you”', /\bhanded [\w ]+ to you\b/],
  ['“gave it back to you”', /\bgave [\w ]+ back to you\b/],
  ['“which was yours”', /\bwhich (?:was|were) yours\b/],
  ['“how it stands”', /\bhow (?:it|things|all|the incident)\b[^.?!]*\bstands?\b/i],
  ['“everything happens in”', /\beverything happens (?:in|here|there)\b/i],
  ['“is no time until”', /\bno time until\b/i],
  [
    '“is no …” for “is not a …”',
    /(?<!\bThere )\b(?:is|as|be|was|it’s) no (?:drill|mistake|time|uid|JSON|dashboard|incident|duration|address|web|file|number|role|task)\b/i,
  ],
  ['“over already”', /\bover already\b/i],
  ['“What do we do?”', /\bwhat do we do\b/i],
  ['“What is to be done?”', /\bis to be done\b|\bWho is to\b/i],
  ['“No promise”', /\bno promise\b/i],
  ['“Here and now”', /\bhere and now\b/i],
  ['“To join” as a label', /^\*?To join\b/],
  ['a button that names nobody', /\[(?:Nobody|Somebody)\]/],
  ['“I am here”', /\bI am here\b/],
  ['“under the names of its people”', /\bunder the names? of\b/i],
  ['“Notes have their own times”', /\bhave their own times?\b/i],
  ['“The incident API”', /\b(?:the )?incident API\b/i],
  ['“The API” as a person', /\bthe API (?:itself |is away|knows|takes|links|has|cannot|does)/i],
  ['“Recorded times”', /\brecorded times\b/i],
  ['“reads of it”', /\breads? of (?:it|the incident|that|them)\b/i],
  ['“from now on?” in a question', /\bfrom now on\?/i],
  ['“lately” for “recently”', /\blately\b/i],
  ['“somebody unknown”', /\bsomebody unknown\b/i],
  ['“say so already”', /\bsays? so already\b/i],
  ['“those who hold”', /\bthose who hold\b/i],
  ['“to you alone”', /\bto you alone\b/i],
  ['“by myself”', /\bby (?:myself|itself)\b/i],
  ['“anew”', /\banew\b/i],
  ['“queued” and “sent in order”', /\b(?:sent|made) in order\b|\bqueued changes\b/i],
  ['“I make … once and in order”', /\bonce and in order\b/i],
  ['an empty subject: “It is that”', /\bit is (?:that|there) that\b/i],
];

/** Chapters, and what stands behind an act, that explain at length: help, the doctor, the record, the settings of an operator. */
const isExplaining = (head: string) =>
  /\bhelp\b|muster\.help|doctor|\[I typed them|record\b|`src\/bot\/(?:doctor|features\/record|manifest|operations)\b/.test(
    head,
  );

/** A line of the list without the words of people and machines in it: quotes, fields, addresses, code. */
function ownWords(line: string): string {
  return line
    .replaceAll(/“[^”]*”?/g, '“”')
    .replaceAll(/\[‹.*?›\]|: \[(?![^\]]*▾)[^\]]*\]/g, ': []')
    .replaceAll(/\(https?:[^)]*\)|https?:\S*[^\s.]/g, '')
    .replaceAll(/```.*?```/g, '')
    .trim();
}

/** How many sentences a text has. What ends without a sign counts too. */
export function countSentences(line: string): number {
  const text = ownWords(line)
    .replaceAll(/\b(?:e\.g|i\.e|etc|vs)\./g, '')
    .replaceAll(/\.(?=\w)/g, '')
    .replace(/^\? [^?]*\? /, '')
    .replaceAll(/ ?\[[^\]]*\]/g, '');
  const parts = text.split(/(?<=[.?!]["”)*`]*)\s+(?=\S)/).filter(part => /\p{L}/u.test(part));
  return parts.length;
}

/** The clock times of a line, each as it stands there. */
const clocksOf = (line: string) => [...line.matchAll(/\d{1,2}:\d\d(?: [AP]M)?/g)].map(([clock]) => clock);

/** What in the list breaks a rule. `page` is the text of test/words.md. */
export function lintWords(page: string): readonly Broken[] {
  const broken: Broken[] = [];
  let chapter = '';
  let head = '';
  let card: string[] = [];
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) chapter = line;
    if (line.startsWith('**') || line.startsWith('###')) [head, card] = [line, []];
    const text = /^(?: {4}|- )(.*)$/.exec(line)?.[1];
    if (text === undefined || chapter === '' || /^You typed: /.test(text)) continue;
    const add = (rule: string) => broken.push({ rule, text });
    const own = ownWords(text);
    // Neither chapter shows a time as people see it.
    const isUnseen = /nobody met|each change says/.test(chapter);
    // The words of a message, examples of what to type, and the two ends of an incident that was short.
    const isQuoted = /:memo: |^\*Active\*|: try |, started .*, ended | · message$/.test(own);
    const describes = /^(?:not done: )?I could not |⏳|describe/.test(text);
    const explains = isExplaining(head);
    if (!explains) for (const [rule, pattern] of phrases) if (pattern.test(own)) add(rule);
    if (!explains && countSentences(text.replace(/^(?:not done|done|done already|line): /, '')) > 2)
      add('more than two sentences');
    if (/\S {2,}\S/.test(text)) add('two spaces');
    if (/["]|(?<=\p{L})'(?=\p{L})/u.test(own) && !explains) add('straight quotes');
    // A channel is archived whole days after the end.
    const clocks = clocksOf(own.replace(/ · archives .*/, ''));
    if (!isUnseen && !isQuoted && new Set(clocks).size < clocks.length && !/[–-]\d{1,2}:\d\d/.test(own))
      add('a time twice in a line');
    if (!isUnseen && !isQuoted && !describes && /(?<!\/)\bUTC\b/.test(own) && !/Try |“|as in|\[\]/.test(own))
      add('UTC in a room');
    if (/^(?:\S+ )?(?:Active since|✅ Resolved) .*\d:\d\d/u.test(own)) card = [own];
    else if (
      card.length > 0 &&
      /\bdeclared .*\d:\d\d/.test(own) &&
      clocks.some(clock => card.some(each => each.includes(clock)))
    )
      add('a time twice on a card');
  }
  return broken;
}
