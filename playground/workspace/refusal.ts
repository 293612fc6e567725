/** Says in words why an act has no effect. */
export class Refusal extends Error {}

/** Slack's refusals of a channel's name, in the words of its client. */
const words: Readonly<Record<string, string>> = {
  invalid_name_required: 'Don’t forget to name your channel.',
  invalid_name_maxlength: 'Channel names can’t be longer than 80 characters.',
  invalid_name_punctuation: 'Channel names can’t be made of punctuation alone.',
  invalid_name_specials: 'Channel names can’t contain spaces, capitals, or most punctuation.',
  name_taken: 'That name is already taken by another channel.',
  no_text: 'There is nothing to send.',
};

/** The words for an error that an act met. An error of the program is thrown again. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
  return 'code' in error ? (words[String(error.code)] ?? error.message) : error.message;
}
