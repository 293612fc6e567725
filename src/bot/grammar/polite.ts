import { commandWord, type Token } from './tokens.ts';

/** Words before a command that ask nicely, and say nothing. */
const before = /^(please|pls|plz|kindly|hey|hi|hello|ok|okay|so|now|just|thanks|thx)$/;
/** They are a line alone. */
const greeting =
  /^(hi|hello|hey|hiya|yo|howdy|good (morning|afternoon|evening|day|night)|morning)( (there|all|muster|team|folks|everyone|everybody|again))*$/;
const thanking =
  /^((ok|okay|great|cool|nice|perfect|many|awesome|lovely|super) )*(thanks|thank you|thx|ty|cheers|thankyou)( (a lot|a bunch|so much|very much|you|muster|all|again|team|everyone|everybody|folks|guys|for (that|this|the help|your help|everything)))*$/;
const agreeing =
  /^((ok|okay|yes|yep|yeah|no|nope|sorry|cool|nice|great|good|perfect|awesome|lol|sure|right|fine|done deal|got it|good bot|never ?mind|nvm|all good|well done|noted)( (ok|okay|yes|no|cool|great|good|muster|all|then|sorry))*)$/;

/** The first word behind those that ask nicely, from the word `first` on. */
export function behindPolite(tokens: readonly Token[], first: number): number {
  let at = first;
  while (at < tokens.length - 1 && !tokens[at]?.quoted && before.test(commandWord(tokens[at]))) at += 1;
  return at;
}

/** What Muster says to a line that is nothing but small talk, in mrkdwn; undefined for every other line. */
export function replyTo(line: string): string | undefined {
  const words = line
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/:[a-z0-9_+-]+:|[^\p{L}\p{N}\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (thanking.test(words)) return 'You’re welcome.';
  if (greeting.test(words)) return 'Hi! `/incident help` shows what you can do here.';
  return agreeing.test(words) ? 'OK.' : undefined;
}
