import { signatureHeader, signWebhook } from '../../../../src/contract/webhook-signature.ts';
import { openTaking, takingSecret } from '../../pagers/taking.ts';
import type { Chapter } from './chapter.ts';
import { declare } from './chapter.ts';

const taking = await openTaking();

/** The settings of a team with a pager that takes pages, one that refuses them, and one that does not answer. */
export const pagerSettings = {
  PAGERS: [
    taking.toSetting('sre'),
    taking.toSetting('gone', '/gone'),
    `away=webhook:http://127.0.0.1:1/page|${takingSecret}`,
  ].join(','),
};

/** Pages: one is acknowledged, one waits, one is refused, and one is asked about. */
export const pager: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words } = stage;
  stage.begin('Pager');
  const room = await declare(stage, words.many('Pager', 1, 100));
  stage.go(room);
  const why = words.said.slice(0, 300);
  // Who types this may want to wake somebody, so both are offered.
  await stage.type(bob, '/muster page');
  for (const name of ['sre', 'gone', 'away']) await stage.type(bob, `/incident page ${name} ${why}`);
  await stage.act('somebody acknowledges it there', async () => {
    const [first] = taking.heard.filter(each => each.body.includes('"sre"')).slice(-1);
    const body = JSON.stringify({ key: JSON.parse(first?.body ?? '{}').key, state: 'acknowledged', by: words.name });
    const headers = { [signatureHeader]: signWebhook(body, takingSecret, stage.now()) };
    const answer = await fetch(`${stage.muster.url}/hooks/pages/sre`, { method: 'POST', headers, body });
    if (!answer.ok) stage.lost.push(`the acknowledgement is refused: ${await answer.text()}`);
  });
  await stage.type(alice, `/incident page ${why}`);
  await stage.press(alice, 'Page sre');
  await stage.type(alice, '/incident resolve --now it was the pager');
};
