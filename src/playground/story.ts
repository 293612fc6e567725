import type { Cast } from './cast.ts';
import type { Checks } from './checks.ts';
import type { DemoSystem } from './system.ts';
import type { Transcript } from './transcript.ts';

/** What a scene works with. */
export interface Story {
  readonly system: DemoSystem;
  readonly cast: Cast;
  readonly check: Checks['check'];
  readonly transcript: Transcript;
}

/** A part of the story: people act, and each check says which effect that must have. */
export type Scene = (story: Story) => Promise<void>;
