import { isOwnHost } from '../../contract/own-host.ts';
import type { Deadlines } from '../../deadlines.ts';
import { signatureOf } from '../slack/request.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import type { Installation } from './installation.ts';
import type { Sightings } from './sightings.ts';

/** A request that Slack sent no longer ago than this proves the address, in milliseconds. */
const lately = 60 * 60_000;

/** Whether the pages are on, and whether they can be read at the public address. */
export async function checkPages({ pages, publicUrl, apiKind, deadlines }: Installation): Promise<Finding> {
  const subject = 'pages';
  if (apiKind === 'grafana') return ok(subject, 'Links open Grafana, so there are no pages of Muster’s own.');
  if (pages === 'off') return ok(subject, 'They are off (PAGES), so links to incidents are not offered.');
  if (publicUrl === '') {
    const fix = 'Put the address under which people reach this server into PUBLIC_URL.';
    return failing(subject, 'They are on, and PUBLIC_URL is not set.', 'links to incidents in Slack', fix);
  }
  const status = (await ask(`${publicUrl}/incidents`, {}, deadlines))?.status ?? 0;
  if (pages === 'slack' && status === 401)
    return publicUrl.startsWith('https:') || isOwnHost(URL.parse(publicUrl)?.hostname ?? '')
      ? ok(subject, `The people of the workspace read them at ${publicUrl}.`)
      : failing(
          subject,
          `PUBLIC_URL is ${publicUrl}, and browsers keep no cookie over http.`,
          'reading pages: nobody gets in',
          'Put an https address in front of Muster, and into PUBLIC_URL.',
        );
  if (status === 200) return ok(subject, `They are open to everybody who reaches ${publicUrl}.`);
  return failing(
    subject,
    status === 0 ? `Nothing answers at ${publicUrl}.` : `${publicUrl} answers with status ${status}.`,
    'links to incidents in Slack',
    'Check PUBLIC_URL, and that the proxy there passes requests to Muster’s PORT.',
  );
}

/**
 * In HTTP mode: whether Slack's requests arrive, or, when none came lately, whether a signed request to the public address reaches a
 * Muster with this signing secret.
 */
export async function checkRequestUrl(
  { mode, publicUrl, deadlines }: Installation,
  sightings: Sightings,
  now: Date,
): Promise<Finding> {
  const subject = 'request URL';
  if (mode.kind === 'socket') return ok(subject, 'None is needed: Muster opens the connection itself.');
  const last = await sightings.lastDelivery();
  if (last && now.getTime() - last.getTime() < lately) return ok(subject, 'Slack’s requests arrive.');
  const stops = 'all that people do in Slack: nothing of it arrives';
  if (publicUrl === '') {
    const fix = 'Set PUBLIC_URL, and the app’s Request URLs to that address with /slack/events behind it.';
    return unknown(subject, 'PUBLIC_URL is not set, so the address cannot be tried.', stops, fix);
  }
  const address = `${publicUrl}/slack/events`;
  const body = JSON.stringify({ type: 'url_verification', challenge: 'doctor' });
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': signatureOf(mode.signingSecret, timestamp, body),
  };
  const answer = await ask(address, { method: 'POST', headers, body }, deadlines);
  if (answer?.status === 200 && answer.text.includes('doctor')) return ok(subject, `${address} takes signed requests.`);
  if (answer?.status === 401) {
    const found = `${address} refuses a request that is signed with this SLACK_SIGNING_SECRET.`;
    return failing(subject, found, stops, 'Give both the same SLACK_SIGNING_SECRET, and check this machine’s clock.');
  }
  return failing(
    subject,
    answer ? `${address} answers with status ${answer.status}.` : `Nothing answers at ${address}.`,
    stops,
    'Check PUBLIC_URL, and that the proxy there passes /slack/events to Muster’s PORT.',
  );
}

async function ask(
  address: string,
  init: RequestInit,
  deadlines: Deadlines,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(address, {
      ...init,
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlines.doctor.page),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
