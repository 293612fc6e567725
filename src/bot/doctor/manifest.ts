import type { Deadlines } from '../../deadlines.ts';
import { toObject } from '../../json-object.ts';
import { askSlack } from '../slack/ask-slack.ts';
import { events, type Scope, scopes } from '../slack/permissions.ts';
import { type Finding, failing, ok, unknown } from './finding.ts';
import { subscribe } from './permissions.ts';
import { textOf } from './slack-view.ts';
import { appPage } from './tokens.ts';

const subject = 'app manifest';
const paste = `At ${appPage}, App Manifest: paste what “muster manifest” prints (with --url in HTTP mode), save, then Install App → Reinstall.`;

/** The manifest that Muster would make, and the app that it is compared with. */
interface ManifestCheck {
  readonly slackApiUrl: string;
  readonly deadlines: Deadlines;
  /** A configuration token, which may read the manifests of a person's apps (docs/slack.md 7). */
  readonly configToken: string;
  readonly appId: string;
  readonly wanted: Readonly<Record<string, unknown>>;
}

/** Compares an app, as Slack has it, with Muster's manifest: commands, events, scopes, shortcuts, interactivity and connection. */
export async function checkManifest(check: ManifestCheck): Promise<readonly Finding[]> {
  const { configToken, appId, wanted } = check;
  const stops = 'what the app lacks';
  if (appId === '')
    return [unknown(subject, 'Slack does not tell the app of the bot token.', stops, 'Fix the bot token first.')];
  const { body, error } = await askSlack(check, configToken, 'apps.manifest.export', { app_id: appId });
  if (error !== '') {
    const fix = `Make a new configuration token at ${appPage}: one lives for twelve hours, and only the app’s owners have it.`;
    return [unknown(subject, `Slack does not show it: ${error}.`, stops, fix)];
  }
  const problems = compare(body.manifest, wanted);
  return problems.length === 0 ? [ok(subject, `The app ${appId} has all that Muster’s manifest asks for.`)] : problems;
}

function compare(actual: unknown, wanted: unknown): readonly Finding[] {
  const missing = (path: readonly string[], member = '') => {
    const there = textsAt(actual, path, member);
    return textsAt(wanted, path, member).filter(each => !there.includes(each));
  };
  const lacks = (what: string, use: string, fix = paste) =>
    failing(`${subject}: ${what}`, 'The app does not have it.', use, fix);
  const useOf = (list: readonly Scope[], name: string) => list.find(each => each.name === name)?.use ?? name;
  return [
    ...missing(['features', 'slash_commands'], 'command').map(name => lacks(`command ${name}`, `${name} …`)),
    ...missing(['settings', 'event_subscriptions', 'bot_events']).map(name =>
      lacks(`event ${name}`, useOf(events, name), subscribe(name)),
    ),
    ...missing(['oauth_config', 'scopes', 'bot']).map(name => lacks(`scope ${name}`, useOf(scopes, name))),
    ...missing(['features', 'shortcuts'], 'callback_id').map(id => lacks(`shortcut ${id}`, `the menu entry ${id}`)),
    ...differences(actual, wanted),
  ];
}

/** Switches and addresses that decide whether anything arrives. */
function differences(actual: unknown, wanted: unknown): readonly Finding[] {
  const settings = [
    { path: ['settings', 'interactivity', 'is_enabled'], what: 'interactivity', stops: 'buttons, forms and shortcuts' },
    { path: ['features', 'app_home', 'home_tab_enabled'], what: 'home tab', stops: 'the home tab' },
    { path: ['settings', 'socket_mode_enabled'], what: 'Socket Mode', stops: 'all that people do in Slack' },
    {
      path: ['settings', 'interactivity', 'request_url'],
      what: 'interactivity URL',
      stops: 'buttons, forms and shortcuts',
    },
    { path: ['settings', 'event_subscriptions', 'request_url'], what: 'event URL', stops: 'mentions and other events' },
  ];
  return settings.flatMap(({ path, what, stops }) => {
    const [is, should] = [at(actual, path), at(wanted, path)];
    if (should === undefined || is === should) return [];
    return [
      failing(
        `${subject}: ${what}`,
        `It is ${String(is ?? 'not set')}, and should be ${String(should)}.`,
        stops,
        paste,
      ),
    ];
  });
}

/** The texts of a list in a manifest, or of a member of each of its items. */
function textsAt(manifest: unknown, path: readonly string[], member: string): readonly string[] {
  const list = at(manifest, path);
  return Array.isArray(list) ? list.map(each => (member === '' ? String(each) : textOf(each, member))) : [];
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => toObject(inner)[name], value);
}
