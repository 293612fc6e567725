import { test } from 'vitest';
import { expectNearMissesHarmless, expectSentencesKept } from '../support/typed-lines.ts';

// All of them: test/soak/sentences.

test('20 generated sentences, typed and mentioned, stand on the timelines word for word', () =>
  expectSentencesKept(20, 14));

test('10 near-misses of commands change nothing', () => expectNearMissesHarmless(10, 14));
