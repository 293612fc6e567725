import { type Finding, toFinding } from './finding.ts';
import { isMixed, isPlaceholder } from './look.ts';

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
export function* findTokens(text: string): Generator<Finding> {
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
