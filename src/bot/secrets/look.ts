/** Words that stand where a secret would, and are none. */
const placeholders = new Set(
  `null none nil true false undefined empty required optional string text yes no unknown missing invalid wrong expired password
  passwd pass pwd secret token value redacted hidden masked removed example user username apikey key credentials`.split(
    /\s+/,
  ),
);

/** Whether a value stands for a secret without being one: `$TOKEN`, `<token>`, `{{ password }}`, `****`, `os.environ[`, `null`. */
export function isPlaceholder(value: string): boolean {
  return (
    placeholders.has(value.toLowerCase()) ||
    /^(?:\$\{?\(?[A-Za-z_]|<|\{\{|\[|%\(|%[A-Z_]+%|\$\{\{)/.test(value) ||
    /^[*•.…xX#_-]+$/.test(value) ||
    /^[A-Za-z_]+(?:\.[A-Za-z_]+)+(?:[[(]|$)|^[A-Za-z_.]+\(/.test(value) ||
    /^(?:your|my|the|some)[-_ ]/i.test(value)
  );
}

/** Characters of a value whose look is examined: more say nothing new. */
const examined = 64;

/** Whether a value looks drawn by chance, as keys and tokens do. Names, dates, addresses and paths do not. */
export function looksRandom(value: string, least = 16): boolean {
  const begin = value.slice(0, examined);
  if (begin.length < least || isPlaceholder(begin)) return false;
  if (/^(?:[a-z]+:\/\/|\d{4}-\d\d-\d\d)/i.test(begin)) return false;
  return (
    isMixed(begin) || begin.split(/[^A-Za-z0-9]/).some(part => part.length >= Math.min(least, 10) && isVaried(part))
  );
}

/** Whether a word has digits and letters, and not the same few. */
function isVaried(word: string): boolean {
  return /\d/.test(word) && /[A-Za-z]/.test(word) && new Set(word).size > 5;
}

/** Whether small and capital letters, digits and signs change so often that no words do. */
export function isMixed(value: string): boolean {
  if (value.length < 16) return false;
  let changes = 0;
  for (let at = 1; at < value.length; at += 1) if (classOf(value, at) !== classOf(value, at - 1)) changes += 1;
  return changes / (value.length - 1) > 0.4;
}

function classOf(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 97 && code <= 122 ? 2 : 3;
}

/** Whether a word looks like a password that somebody chose, in a sentence that may as well say "the password is wrong". */
export function looksChosen(word: string): boolean {
  if (word.length < 4 || isPlaceholder(word)) return false;
  if (/^\d+(?:[.:,/-]\d+)*(?:[a-z%]{1,3})?$/i.test(word) && word.length < 6) return false;
  return (
    /\d/.test(word) || /[a-z][A-Z]/.test(word) || /[!#$%&*@^+=?~]/.test(word.slice(0, -1)) || word.split('-').length > 3
  );
}
