import type { StoryView } from '../workspace/protocol.ts';

/** Leads a window to where the story that it plays happens, for as long as the person stays where it led them. */
export class StoryGuide {
  #story: string | undefined;
  /** Where it last led the person. */
  #place: string | undefined;

  /** The person plays a story in this window. */
  begin(story: string): void {
    this.#story = story;
    this.#place = undefined;
  }

  /** The channel to show now; undefined when the person stays. `open` is the open one, `isSeen` whether they see a channel. */
  next(
    stories: readonly StoryView[],
    open: string | undefined,
    isSeen: (channel: string) => boolean,
  ): string | undefined {
    const place = stories.find(each => each.name === this.#story)?.place;
    if (place === undefined || place === this.#place || !isSeen(place)) return undefined;
    const isThere = this.#place === undefined || open === this.#place;
    this.#place = place;
    return isThere && open !== place ? place : undefined;
  }
}
