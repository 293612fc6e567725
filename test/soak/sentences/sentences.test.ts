import { test } from 'vitest';
import { expectNearMissesHarmless, expectSentencesKept } from '../../support/typed-lines.ts';

test('2,000 generated sentences, typed and mentioned, stand on the timelines word for word', () =>
  expectSentencesKept(2000, 2026));

test('500 near-misses of commands change nothing', () => expectNearMissesHarmless(500, 2026));
