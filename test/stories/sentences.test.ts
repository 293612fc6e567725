import { test } from 'vitest';
import { expectNearMissesHarmless, expectSentencesKept } from '../support/typed-lines.ts';

// All of them: test/soak/sentences.

test('40 generated sentences, typed and mentioned, stand on the timelines word for word', () =>
  expectSentencesKept(40, 14));

test('20 near-misses of commands change nothing', () => expectNearMissesHarmless(20, 14));
