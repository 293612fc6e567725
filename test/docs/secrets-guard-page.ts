import { type KindFigure, measureGuard, total } from '../support/secrets/guard-figures.ts';
import { toMarkdownTable, toPage } from './markdown.ts';

/** docs/secrets-guard.md. */
export function writeSecretsGuard(): string {
  const { secret, harmless } = measureGuard();
  return toPage('`src/bot/secrets/` and `test/support/secrets/`', [
    '# The secrets guard',
    [
      'People paste tokens and passwords into incidents. What they write there stays: on the timeline, in Grafana, in exports.',
      'So Muster examines each text before it stores it. What looks like a token, key, password, card number or IBAN is held back.',
      'Its author alone is asked, in private:',
    ].join(' '),
    [
      '- **Redact** stores the text with words in place of each secret: `[redacted: AWS key]`.',
      '- **Keep** stores the text as it was written.',
      '- **Drop** stores nothing.',
    ].join('\n'),
    [
      'Until then the words are in no journal, no log and no message; the table `bot_draft` alone has them. They are deleted there with the choice, or after a week.',
      'The choice outlasts a restart. It counts once, however often a button is pressed. A note keeps the time at which it was written.',
      'Where a person adds the message of another one, the person who adds it chooses.',
    ].join(' '),
    [
      'The guard examines notes, the messages and threads that become notes, with what their small files say, changes of notes, tasks and their changes, titles, labels, the roles, dashboards that are saved, addresses of dashboards, the words next to',
      'dashboards’ links, declarations and summaries. Every write of a person passes one place, `submit` in `src/bot/dispatch/act-context.ts`;',
      'an intent names its texts with `mapTexts`. `SECRETS_GUARD=off` turns the guard off.',
    ].join(' '),
    '## What it finds',
    [
      'The figures come from made-up texts: 10,000 with a secret, as people paste it, and 10,000 without one. They are made from what vendors',
      'say of their formats (`test/support/secrets/`), and are the same in each run. A test fails when this page is out of date, when fewer',
      'than 99 % of the secrets are held back, or more than 0.5 % of the harmless texts.',
    ].join(' '),
    toTable('secret', secret),
    toTable('harmless text', harmless),
    '## What it does not find',
    [
      '- A password that is a plain word in a sentence: “the password is swordfish”. Nothing tells it from “the password is wrong”.',
      '- A key of 32 hexadecimal digits without its name before it: it looks like any trace id.',
      '- A secret that a person hides: split over two notes, spelled backwards, in a picture.',
      '- What is in Slack already. The question says so: delete the message there, and change the secret.',
    ].join('\n'),
  ]);
}

function toTable(title: string, figures: readonly KindFigure[]): string {
  const rows = [...figures, total(figures)].map(({ kind, texts, heldBack }) => [
    kind,
    String(texts),
    String(heldBack),
    `${((100 * heldBack) / texts).toFixed(2)} %`,
  ]);
  return toMarkdownTable([title, 'texts', 'held back', 'share'], rows);
}
