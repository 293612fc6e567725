import { expect, test } from 'vitest';
import { documents, filesBelow, read } from '../../support/docs/files.ts';
import { commentsOf, kindsOfProse, paragraphsOf, twinsOf } from '../../support/docs/prose.ts';
import { readList } from '../../support/table.ts';

/** Sentences that a reader of the code stopped at, or like them, by their kind. */
const bad = {
  'a relative clause without its noun': `
    A person of whom nothing is known may see nothing.
    The incidents of which something is looked at now.
    The address of a message of which a note is made.
    A lane of its own, of which no other process knows yet.
    Where an intent stands in its lane.
    A message that stands in Slack.
    Whether the card stands alone.
    The error stands still in the row.
    It stands beside the note.`,
  '“is to be” for must or will': `
    A duty as it is to be.
    Slack shows it as it is to be, or never will.
    What is to be done, as JSON.
    0 when it is to be asked again.
    Outcomes that are to be told.
    A step that was to be taken.
    The messages that were to be edited.`,
  'a docstring that needs the one above it': `
    The same, but for an edited message.
    The same in UTC alone.
    The same with its age.
    The same on behalf of an operator.
    The same as YAML.`,
  'an old word': `
    Looks anew how long the next round waits.
    The list is made anew.
    An intent is tried anew.
    Names the act for ever.
    The door stays shut for ever.
    The words beside them.
    The lock, with all that is stored beside them.
    Other inputs beside the duty itself.`,
  'a vague subject': `
    Somebody wants an intent to be tried now.
    When they were added, as somebody who joined late.
    Someone mentioned in a line.
    They have fewer rights than anybody.
    Whoever looks at an incident.
    For whomever has to find out why.
    Keeps whom somebody says to be.`,
  'a clause in place of a noun': `
    Says what became of a delivery.
    The process that took it over says what becomes of it.
    What came of an attempt to reach a pager.
    Tells the room what became of it.`,
};

test.each(Object.entries(bad))('the check finds %s', (kind, sentences) => {
  for (const each of readList(sentences)) expect(kindsOfProse(each), each).toContain(kind);
});

test('there are forty bad sentences', () => {
  expect(Object.values(bad).flatMap(each => readList(each)).length).toBeGreaterThanOrEqual(40);
});

test('text that is quoted is that of people', () => {
  expect(commentsOf('/** The end of “somebody added a task”. */')).toEqual(['The end of ….']);
  expect(paragraphsOf('Type `what became of it`.\n\n```sh\necho anew\n```\n')).toEqual(['Type ….', '']);
});

/** The comments and paragraphs of these files that hold a bad sentence. */
function find(paths: readonly string[], split: (text: string) => readonly string[]): readonly string[] {
  return paths.flatMap(path =>
    split(read(path)).flatMap(text => kindsOfProse(text).map(kind => `${path}: ${kind}: ${text.slice(0, 160)}`)),
  );
}

test('a stranger understands each docstring and comment of the product', () => {
  expect(find(filesBelow('src', /\.ts$/), commentsOf)).toEqual([]);
});

test('a stranger understands each paragraph of the documents', () => {
  // What a version said stays as it was said; generated lists hold the sentences of Slack.
  const own = documents().filter(path => !['CHANGELOG.md', 'test/words.md', 'test/faults.md'].includes(path));
  const found = find([...own, 'deploy/README.md'], paragraphsOf);
  // The rows of docs/commands.md are the help that Slack shows: test/words.md is the place to judge its words.
  const isHelp = (each: string) => /^docs\/commands\.md: [^:]*: \| /.test(each);
  expect(found.filter(each => !isHelp(each))).toEqual([]);
});

test('a schema and its type are explained once', () => {
  expect(filesBelow('src', /\.ts$/).flatMap(path => twinsOf(read(path)).map(name => `${path} ${name}`))).toEqual([]);
});
