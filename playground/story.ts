import type { Cast } from './cast.ts';
import type { Checks } from './checks.ts';
import type { StorySystem } from './story-system.ts';
import type { Transcript } from './transcript.ts';

/** What a scene works with. */
export interface Story {
  readonly system: StorySystem;
  /** The numbers of the incidents that people declared in the story. The first is the one that it is about. */
  readonly declared: string[];
  readonly cast: Cast;
  readonly check: Checks['check'];
  readonly transcript: Transcript;
}

/** A story as it is told: its title, paragraphs of introduction, and scenes. */
export interface Tale {
  readonly title: string;
  readonly introduction: readonly string[];
  /** Settings of Muster that the story needs. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly scenes: readonly Scene[];
  /** What people do, a sentence each, where that is known beforehand. */
  readonly plot?: readonly string[];
}

/** A part of the story: people act, and each check says which effect that must have. */
export type Scene = (story: Story) => Promise<void>;
