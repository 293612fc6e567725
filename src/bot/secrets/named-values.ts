import { type Finding, toFinding } from './finding.ts';
import { isPlaceholder, looksChosen, looksRandom } from './look.ts';

/** The names after which a password or a key stands, at the end of a name: `DB_PASSWORD`, `api-key`, `SecretAccessKey`. */
const names =
  /(?<password>passwor[dt]s?|passwd|pass ?phrase|passcode|kennwort|contrase(?:ñ|n)a|mot de passe|(?<![a-z])(?:pass|pwd|pw|pin))|(?<key>secret|token|credentials?|webhook|(?:api|app|access|private|preshared|shared|account|storage|auth|signing|encryption|master|service|license|deploy|secret|ssh|tls|session)[ _-]?key)/gi;

/** Characters after a name in which its value begins. */
const reach = 300;

const quotes = '["\'`“„\\\\]{0,3}';

/** `=`, `:`, `=>` or `:=`, and the value: `isClose` has no space behind a colon. */
const assigned = new RegExp(
  `^${quotes}[ \\t]{0,8}(?<sign>=>|:=|={1,2}|:)(?<space>[ \\t]{0,8})(?<quote>${quotes})(?<secret>[^\\s"'\`”“\\\\]{1,80})`,
);

/** `is` and the value, perhaps after what the name is of: `password for the replica is …`. */
const spoken = new RegExp(
  `^(?: (?:for|of|to|on|at|in|für|von|der|des)(?: \\S{1,40}){1,5}?)? (?:is|was|ist|war|lautet|=|:)(?: now| still| again|:)? (?<quote>${quotes})(?<secret>[^\\s"'\`”“\\\\]{1,80})`,
  'i',
);

/** The secrets that are known by the name before them. */
export function* findNamed(text: string): Generator<Finding> {
  let from = 0;
  for (const match of text.matchAll(names)) {
    const nameEnd = match.index + match[0].length;
    if (match.index < from || isInArn(text, match.index)) continue;
    const after = text.slice(nameEnd, nameEnd + reach);
    const found = assigned.exec(after) ?? spoken.exec(after);
    const begun = found?.groups?.secret ?? '';
    const value = trimEnd(begun);
    if (!found || value === '') continue;
    const isPassword = match.groups?.password !== undefined;
    if (!(isPassword ? isPasswordValue(value, found) : looksRandom(value))) continue;
    const start = nameEnd + found[0].length - begun.length;
    from = start + trimEnd(wholeValue(text, start)).length;
    yield { kind: isPassword ? 'password' : 'key or token', start, end: from };
  }
}

/** Whether a name stands in an ARN, which says where a secret is and not what it is: `arn:aws:secretsmanager:…:secret:db-x1`. */
function isInArn(text: string, at: number): boolean {
  return /\barn:[a-z0-9:-]*$/.test(text.slice(Math.max(0, at - 80), at));
}

const valueEnd = /[\s"'`”“\\]|$/g;

/** The value that begins there, to its end. */
function wholeValue(text: string, start: number): string {
  valueEnd.lastIndex = start;
  return text.slice(start, valueEnd.exec(text)?.index);
}

/** In an assignment every value is a password. In a sentence a word may as well say something about it. */
function isPasswordValue(value: string, { groups }: RegExpExecArray): boolean {
  if (value.length < 4 || isPlaceholder(value)) return false;
  const isClose = groups?.sign !== undefined && (groups.sign !== ':' || groups.space === '' || groups.quote !== '');
  return isClose || looksChosen(value) || (groups?.quote !== '' && /^[\w!#$%&*@^+=?~-]{6,}$/.test(value));
}

/** Signs that end the sentence or the bracket around a value. */
function trimEnd(value: string): string {
  return value.replace(/[,.;:)\]}>]{1,5}$/, '');
}

/** Passwords and tokens where commands and headers take them. */
const taken: readonly {
  readonly pattern: RegExp;
  readonly kind: string;
  readonly isOne: (secret: string) => boolean;
}[] = [
  {
    kind: 'authorization header',
    pattern:
      /authorization["'\\]{0,3}\s{0,4}[:=]\s{0,4}["'\\]{0,3}(?:bearer|basic|token|apikey|digest)?\s{0,3}(?<secret>[^\s"'\\,]{8,4000})/gi,
    isOne: secret => looksRandom(secret, 8) || /^[A-Za-z0-9+/]{12,}={0,2}$/.test(secret),
  },
  {
    kind: 'bearer token',
    pattern: /\bbearer\s{1,4}["'\\]{0,3}(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    isOne: secret => looksRandom(secret),
  },
  {
    kind: 'password',
    pattern: /(?<![\w-])(?:-u|--user|--proxy-user)[ =]["']?[^\s:"']{1,80}:(?<secret>[^\s"']{3,200})/g,
    isOne: secret => !isPlaceholder(secret) && !/^\d+$/.test(secret),
  },
  {
    kind: 'password',
    pattern: /(?<![\w-])--?(?:password|passwd|passphrase|pass)[ =]["']?(?<secret>[^\s"'-][^\s"']{3,200})/g,
    isOne: secret => !isPlaceholder(secret),
  },
  {
    kind: 'key or token',
    pattern: /(?<![\w-])--(?:[a-z]{1,20}-)?(?:token|secret|key)[ =]["']?(?<secret>[^\s"'-][^\s"']{3,400})/g,
    isOne: secret => looksRandom(secret),
  },
  {
    kind: 'password',
    pattern: /\bsshpass\s{1,4}-p\s{0,4}["']?(?<secret>[^\s"']{3,200})/g,
    isOne: secret => !isPlaceholder(secret),
  },
  {
    kind: 'password',
    pattern: /\bmysql\w{0,10}\b[^\n|;]{0,60}?\s-p["']?(?<secret>[^\s"']{4,200})/g,
    isOne: secret => !isPlaceholder(secret) && !/^\d{1,5}$/.test(secret),
  },
  {
    kind: 'password',
    pattern: /\blogin\s{1,4}\S{1,80}\s{1,4}password\s{1,4}(?<secret>\S{4,200})/gi,
    isOne: secret => !isPlaceholder(secret),
  },
];

/** The secrets that commands and headers show. */
export function* findTaken(text: string): Generator<Finding> {
  for (const { kind, pattern, isOne } of taken) {
    for (const match of text.matchAll(pattern)) {
      if (isOne(match.groups?.secret ?? '')) yield toFinding(kind, match);
    }
  }
}
