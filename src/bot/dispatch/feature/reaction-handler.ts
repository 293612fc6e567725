import type { EmojiMeaning } from '../../../config/formats.ts';
import type { Reaction } from '../../slack/read-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import type { Context } from './context.ts';

/** Carries out the reactions of one meaning. The mark on the message is the answer; the person reads words when something went wrong. */
export interface ReactionHandler {
  readonly means: EmojiMeaning;
  added(ctx: Context, incidentID: string, message: SourceMessage): Promise<void>;
  /** A reaction was taken back. `reactions` are those that stand; none when the message is gone. */
  removed?(ctx: Context, incidentID: string, message: MessageAddress, reactions: readonly Reaction[]): Promise<void>;
}
