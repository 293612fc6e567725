import { test } from 'vitest';
import { isLong } from '../../support/length.ts';
import { expectNearMissesHarmless, expectSentencesKept } from '../../support/typed-lines.ts';

const sentences = isLong ? 2000 : 500;
const nearMisses = isLong ? 500 : 200;

test(`${sentences} generated sentences, typed and mentioned, stand on the timelines word for word`, () =>
  expectSentencesKept(sentences, 2026));

test(`${nearMisses} near-misses of commands change nothing`, () => expectNearMissesHarmless(nearMisses, 2026));
