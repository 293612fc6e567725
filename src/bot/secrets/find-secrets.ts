import { trimEnd } from '../../trim-end.ts';

/**
 * What in a text looks like a token, key, password, card number or IBAN, in the order of the text; parts do not overlap. Its time
 * grows with the length of the text alone, whatever the text is.
 */
export function findSecrets(text: string): readonly Finding[] {
  const all = [...findTokens(text), ...findNumbers(text), ...findTaken(text), ...findNamed(text)];
  const merged: Finding[] = [];
  // The sort keeps the order of what begins together, so the most exact kind names a part.
  for (const finding of all.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (!last || finding.start >= last.end) merged.push(finding);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, finding.end) };
  }
  return merged;
}

/** The text with words in place of each part that was found: `[redacted: AWS key]`. */
export function redact(text: string, findings: readonly Finding[] = findSecrets(text)): string {
  let redacted = '';
  let from = 0;
  for (const { kind, start, end } of findings) {
    redacted += `${text.slice(from, start)}[redacted: ${kind}]`;
    from = end;
  }
  return redacted + text.slice(from);
}

/** A part of a text that looks like a secret: from `start` to before `end`. */
interface Finding {
  /** What it looks like, in words that fit "it looks like …": `an AWS key` without its article. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** The finding of a match: its group `secret` where it has one, else all of it. */
function toFinding(kind: string, match: RegExpExecArray): Finding {
  const { 0: whole, index, groups } = match;
  const secret = groups?.secret ?? whole;
  const start = index + whole.lastIndexOf(secret);
  return { kind, start, end: start + secret.length };
}

/** Words that stand where a secret would, and are none. */
const placeholders = new Set(
  `null none nil true false undefined empty required optional string text yes no unknown missing invalid wrong expired password
  passwd pass pwd secret token value redacted hidden masked removed example user username apikey key credentials`.split(
    /\s+/,
  ),
);

/** Whether a value is only the placeholder of a secret: `$TOKEN`, `<token>`, `{{ password }}`, `****`, `os.environ[`, `null`. */
function isPlaceholder(value: string): boolean {
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
function looksRandom(value: string, least = 16): boolean {
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
function isMixed(value: string): boolean {
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

/** Whether a word looks like a password that a person chose, in a sentence that may as well say "the password is wrong". */
function looksChosen(word: string): boolean {
  if (word.length < 4 || isPlaceholder(word)) return false;
  if (/^\d+(?:[.:,/-]\d+)*(?:[a-z%]{1,3})?$/i.test(word) && word.length < 6) return false;
  return (
    /\d/.test(word) || /[a-z][A-Z]/.test(word) || /[!#$%&*@^+=?~]/.test(word.slice(0, -1)) || word.split('-').length > 3
  );
}

/** Digits of cards in their usual groups: four fours, or four, six and the rest. */
const cardShape =
  /(?<![\w.+/=-])(?:\d{4}(?<gap>[ -]?)\d{4}\k<gap>\d{4}\k<gap>\d{4}|3\d{3}(?<other>[ -]?)\d{6}\k<other>\d{4,5})(?!\w|[-.]\d)/g;

/** Beginnings and lengths that networks issue: Visa, Mastercard, American Express, Diners Club, Discover, JCB, UnionPay. */
const issued =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14})$/;

/** Whether the last digit is the check digit of those before it (ISO/IEC 7812-1, annex B). */
function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 1 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** The length of an IBAN by its country (ISO 13616, SWIFT's registry). */
const ibanLengths = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18
  FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
  LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24
  SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map(entry => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const ibanBegin = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/g;

/** What a sign of an IBAN counts: digits themselves, letters from 10 on; undefined for any other sign. */
function ibanValue(code: number): number | undefined {
  if (code >= 48 && code <= 57) return code - 48;
  return code >= 65 && code <= 90 ? code - 55 : undefined;
}

/** Whether the account number fits its check digits (ISO 13616: the remainder by 97 is 1). */
function isIban(values: readonly number[]): boolean {
  let remainder = 0;
  for (let place = 0; place < values.length; place += 1) {
    const value = values[(place + 4) % values.length] ?? 0;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** The card numbers and IBANs, by their check digits. */
function* findNumbers(text: string): Generator<Finding> {
  for (const { 0: whole, index } of text.matchAll(cardShape)) {
    const digits = whole.replace(/[ -]/g, '');
    if (issued.test(digits) && isLuhn(digits)) yield { kind: 'card number', start: index, end: index + whole.length };
  }
  for (const { 0: begin, index } of text.matchAll(ibanBegin)) {
    const found = readIban(text, index, ibanLengths.get(begin.slice(0, 2)));
    if (found !== undefined) yield { kind: 'IBAN', start: index, end: found };
  }
}

/** Where the IBAN ends that begins at `start`; undefined when there is none. Single spaces may stand between its signs. */
function readIban(text: string, start: number, length: number | undefined): number | undefined {
  if (length === undefined) return undefined;
  const values: number[] = [];
  let at = start;
  while (values.length < length) {
    if (text[at] === ' ' && text[at - 1] !== ' ') at += 1;
    const value = ibanValue(text.charCodeAt(at));
    if (value === undefined) return undefined;
    values.push(value);
    at += 1;
  }
  return /[A-Za-z0-9]/.test(text[at] ?? '') || !isIban(values) ? undefined : at;
}

/**
 * A secret that is known by its own look. A pattern reads each sign a bounded number of times: it begins with a sign that no run
 * before it holds, and repeats one class of signs.
 */
interface Token {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Whether a match is one. */
  readonly isOne?: (secret: string) => boolean;
}

/** Tokens whose vendor gives them a beginning of their own, by the vendors' documentation. */
const begun: readonly (readonly [kind: string, begins: string, rest: string])[] = [
  ['AWS key', '(?:AKIA|ASIA|A3T[A-Z0-9])', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['GitHub token', 'gh[pousr]_', '[A-Za-z0-9_.-]{36,}'],
  ['GitHub token', 'github_pat_', '\\w{30,}'],
  ['GitLab token', 'gl(?:pat|ptt|rt|dt|cbt|soat|agent|imt|oas)-', '[\\w.-]{20,}'],
  ['Slack token', 'xox[abeoprs](?:\\.xox[a-z])?-', '[A-Za-z0-9-]{10,}'],
  ['Slack token', 'xapp-', '[A-Za-z0-9-]{20,}'],
  ['Stripe key', '(?:sk|rk)_(?:live|test)_', '[A-Za-z0-9]{16,}'],
  ['Stripe key', 'whsec_', '[A-Za-z0-9+/=]{24,}'],
  ['Google API key', 'AIza', '[\\w-]{35}'],
  ['Google secret', 'GOCSPX-', '[\\w-]{20,}'],
  ['Google token', 'ya29\\.', '[\\w.-]{20,}'],
  ['Anthropic key', 'sk-ant-', '[\\w-]{20,}'],
  ['OpenAI key', 'sk-(?:proj|svcacct|admin)-', '[\\w-]{20,}'],
  ['API key', 'sk-(?:or-v1-|lf-)?', '[A-Za-z0-9]{20,}'],
  ['SendGrid key', 'SG\\.', '[\\w-]{16,}\\.[\\w-]{16,}'],
  ['Twilio key', 'SK', '[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['npm token', 'npm_', '[A-Za-z0-9]{36,}'],
  ['PyPI token', 'pypi-', '[\\w-]{50,}'],
  ['Docker token', 'dckr_(?:pat|oat)_', '[\\w-]{20,}'],
  ['DigitalOcean token', 'do[opr]_v1_', '[0-9a-f]{40,}'],
  ['Vault token', 'hv[sbr]\\.', '[\\w-]{20,}'],
  ['Grafana token', 'glsa_', '\\w{32,}'],
  ['Grafana token', 'glc_', '[A-Za-z0-9+/=]{32,}'],
  ['Hugging Face token', '(?:hf|api_org)_', '[A-Za-z]{20}[A-Za-z0-9]{10,}'],
  ['Hugging Face token', 'hf_', '[A-Za-z0-9]{34,}'],
  ['Groq key', 'gsk_', '[A-Za-z0-9]{40,}'],
  ['Shopify token', 'shp(?:at|ca|pa|ss|ut)_', '[0-9A-Fa-f]{32,}'],
  ['Databricks token', 'dapi', '[0-9a-f]{32,}'],
  ['New Relic key', 'NR(?:AK|JS|II|RA)-', '[A-Za-z0-9-]{20,}'],
  ['Linear key', 'lin_(?:api|oauth)_', '\\w{30,}'],
  ['Notion token', 'ntn_', '[A-Za-z0-9]{40,}'],
  ['Atlassian token', 'AT(?:ATT|CTT|STT|BB)3', '[\\w=-]{40,}'],
  ['Postman key', 'PMAK-', '[0-9a-f-]{50,}'],
  ['PlanetScale token', 'pscale_(?:tkn|pw|oauth)_', '[\\w.-]{30,}'],
  ['Doppler token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '[\\w.-]{40,}'],
  ['Pulumi token', 'pul-', '[0-9a-f]{40}'],
  ['Sentry token', 'sntry[su]_', '[\\w+/=-]{40,}'],
  ['Tailscale key', 'tskey-', '[A-Za-z0-9-]{20,}'],
  ['Cloudflare token', 'cf(?:k|ut|at)_', '[A-Za-z0-9]{40,}'],
  ['Vercel token', 'vc[pciark]_', '[A-Za-z0-9]{20,}'],
  ['Figma token', 'figd_', '[\\w-]{40,}'],
  ['Square token', '(?:EAAA|sq0[a-z]{3}-)', '[\\w-]{22,}'],
  ['Mailgun key', 'key-', '[0-9a-f]{32}(?![A-Za-z0-9])'],
  ['1Password token', 'ops_', 'eyJ[\\w+/=-]{60,}'],
  ['age key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{50,}'],
  ['Terraform token', '[A-Za-z0-9]{14}\\.atlasv1\\.', '[\\w=-]{60,}'],
  ['Discord token', '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.', '[\\w-]{27,}'],
  ['Telegram token', '\\d{8,10}:AA', '[\\w-]{33,}'],
  ['JWT', 'eyJ[\\w-]{8,2000}\\.eyJ[\\w-]{8,}\\.', '[\\w-]{10,}'],
];

/** All of them as one pattern, so that a text is read once. The number of the group that matched is that of the entry. */
const anyBegun = new RegExp(
  `(?<![A-Za-z0-9])(?:${begun.map(([, begins, rest]) => `(${begins}${rest})`).join('|')})`,
  'g',
);

const others: readonly Token[] = [
  {
    kind: 'private key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.]|-(?!----))*(?:-----END [A-Z ]{0,40}-----)?/g,
  },
  {
    kind: 'Slack webhook',
    pattern: /hooks\.slack(?:-gov)?\.com\/(?<secret>(?:services|workflows|triggers)\/[A-Za-z0-9/]{20,})/g,
  },
  { kind: 'Discord webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{10,25}\/[\w-]{40,})/g },
  {
    kind: 'signed address',
    pattern: /[?&](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=(?<secret>[A-Za-z0-9%+/=_-]{32,})/g,
  },
  {
    kind: 'password',
    pattern: /:\/\/[^\s/@:]{0,100}:(?<secret>[^\s/]{1,200})@/g,
    isOne: secret => !isPlaceholder(secret),
  },
  {
    kind: 'AWS secret key',
    pattern: /(?<![A-Za-z0-9+/=_.,-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])/g,
    isOne: secret => isMixed(secret) && !/^[0-9a-f]+$/i.test(secret),
  },
];

/** The secrets that are known by their own look. */
function* findTokens(text: string): Generator<Finding> {
  for (const match of text.matchAll(anyBegun)) {
    const kind = begun[match.findIndex((part, at) => at > 0 && part !== undefined) - 1]?.[0];
    if (kind !== undefined) yield toFinding(kind, match);
  }
  for (const { kind, pattern, isOne } of others) {
    for (const match of text.matchAll(pattern)) {
      const finding = toFinding(kind, match);
      if (isOne?.(text.slice(finding.start, finding.end)) ?? true) yield finding;
    }
  }
}

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
function* findNamed(text: string): Generator<Finding> {
  let from = 0;
  for (const match of text.matchAll(names)) {
    const nameEnd = match.index + match[0].length;
    if (match.index < from || isInArn(text, match.index)) continue;
    const after = text.slice(nameEnd, nameEnd + reach);
    const found = assigned.exec(after) ?? spoken.exec(after);
    const begun = found?.groups?.secret ?? '';
    const value = trimEnd(begun, valueEnds);
    if (!found || value === '') continue;
    const isPassword = match.groups?.password !== undefined;
    if (!(isPassword ? isPasswordValue(value, found) : looksRandom(value))) continue;
    const start = nameEnd + found[0].length - begun.length;
    from = start + trimEnd(wholeValue(text, start), valueEnds).length;
    yield { kind: isPassword ? 'password' : 'key or token', start, end: from };
  }
}

/** Whether a name is part of an ARN, which says where a secret is and not what it is: `arn:aws:secretsmanager:…:secret:db-x1`. */
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
const valueEnds = /[,.;:)\]}>]/;

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
function* findTaken(text: string): Generator<Finding> {
  for (const { kind, pattern, isOne } of taken) {
    for (const match of text.matchAll(pattern)) {
      if (isOne(match.groups?.secret ?? '')) yield toFinding(kind, match);
    }
  }
}
