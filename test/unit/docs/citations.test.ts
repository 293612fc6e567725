import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../../src/conformance/checks.ts';
import { documents, filesBelow, read, root } from '../../support/docs/files.ts';
import { findProblem, readSections, type Sections } from '../../support/docs/sections.ts';

const known = new Map<string, Sections>();

/** The sections of a document, read once; undefined when there is no such document. */
function sectionsOf(document: string): Sections | undefined {
  if (!existsSync(join(root, document))) return undefined;
  const sections = known.get(document) ?? readSections(read(document));
  known.set(document, sections);
  return sections;
}

/** The citations of a text that lead nowhere, each with the reason. A comment that goes on in the next line is one text. */
function findBroken(text: string): string[] {
  const joined = text.replace(/\n\s*(?:\*(?!\/)|\/\/)? ?/g, ' ').replace(/, (?=docs\/)/g, '; ');
  return [...joined.matchAll(/docs\/([\w-]+\.md)(?=([^\n]{0,80}))/g)].flatMap(([, name = '', after = '']) => {
    const sections = sectionsOf(`docs/${name}`);
    const problem = sections ? findProblem(sections, after) : 'no such document';
    return problem === undefined ? [] : [`docs/${name}${after}: ${problem}`];
  });
}

test('every citation in the code and in the documents leads to a heading', () => {
  const code = ['src', 'playground', 'test', 'bench'].flatMap(folder => filesBelow(folder, /\.ts$/));
  const cited = [...code.filter(path => !path.startsWith('test/unit/docs/')), 'biome.json', ...documents()];
  expect(cited.flatMap(path => findBroken(read(path)).map(problem => `${path}: ${problem}`))).toEqual([]);
});

test('every check of the conformance kit cites what there is', () => {
  expect(checks.length).toBeGreaterThan(100);
  expect([...new Set(checks.map(each => each.source))].flatMap(findBroken)).toEqual([]);
});

test('a citation that leads nowhere is found', () => {
  expect(findBroken('docs/no-such.md 1')).toHaveLength(1);
  expect(findBroken('docs/api-rules.md A13')).toHaveLength(1);
  expect(findBroken('docs/api-rules.md A1, B, C9')).toHaveLength(1);
  expect(findBroken('docs/api-rules.md C2, step 19')).toHaveLength(1);
  expect(findBroken('docs/api-rules.md A1, Error\n * envelopes')).toHaveLength(1);
  expect(findBroken('docs/incident-api.md, Paging')).toHaveLength(1);
  expect(findBroken('docs/slack.md 13')).toHaveLength(1);
  expect(
    findBroken('docs/api-rules.md A1, Error\n * envelope. docs/api-rules.md C2, step 18; docs/api-rules.md D12'),
  ).toEqual([]);
});

test.each(documents())('every link of %s leads somewhere', path => {
  const text = read(path).replace(/^```.*?^```/gms, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|<img[^>]+src="([^"]+)"/g)]
    .map(match => match[1] ?? match[2] ?? '')
    .filter(target => !/^[a-z]+:/.test(target));
  const broken = targets.filter(target => {
    const [file = '', anchor] = target.split('#');
    const to = posix.join(posix.dirname(path), file === '' ? posix.basename(path) : file);
    if (!existsSync(join(root, to))) return true;
    return anchor !== undefined && !readSections(read(to)).some(each => toAnchor(each.heading) === anchor);
  });
  expect(broken).toEqual([]);
});

/** The anchor that GitHub gives a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}
