/**
 * The limits of Slack (docs/slack.md 5 and 7), in one table. Lengths are in characters. A text that Muster writes is cut a little
 * before, where the row says so.
 */
export const slackLimits = {
  /** Blocks of a message, and of a form or home tab. */
  messageBlocks: 50,
  viewBlocks: 100,
  /** JSON of a message's blocks: Slack refuses one near 13,200. This is a little below. */
  messageJson: 11_000,
  /** `text` of a message that is updated. */
  updateText: 4000,

  headerText: 150,
  /** Text of a section, and of one element of a context. */
  sectionText: 3000,
  fields: 10,
  fieldText: 2000,
  contextElements: 10,
  actionElements: 25,
  blockId: 255,

  buttonText: 75,
  buttonValue: 2000,
  /** What a screen reader says for a button. */
  spokenText: 75,
  placeholder: 150,
  /** Options of a select, and of the menu behind three dots. */
  options: 100,
  optionText: 75,
  optionValue: 75,
  /** What a person may type into a field. */
  inputText: 3000,
  confirmTitle: 100,
  confirmText: 300,
  confirmButton: 30,
  viewTitle: 24,

  topic: 250,
  /** People whom one call invites into a channel. */
  invited: 100,
  channelName: 80,
} as const;
