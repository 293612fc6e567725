import type { Slack } from '../slack/clients.ts';
import { escapeMrkdwn, toOneLine } from '../text/words.ts';
import { namesOf, type People } from './directory.ts';

/** Where names are looked up. */
interface LabelDeps {
  readonly people: Pick<People, 'find'>;
  readonly slack: {
    readonly quick: { readonly conversations: Pick<Slack['quick']['conversations'], 'info'> };
    readonly identity: Pick<Slack['identity'], 'botUserId'>;
  };
}

/** A person or a channel that Slack names by its id alone (docs/slack.md 4). */
const unlabelled = /<([@#])([UWCG][A-Z0-9]+)(?:\|\s*)?>/g;
/** Channels whose names are looked up at once, at most. */
const maxChannels = 10;

/**
 * Slack text with a name beside each id: `<@U1>` becomes `<@U1|bob>`, so that whoever reads it later reads names. An id stays alone
 * when Slack does not tell its name, and so does a private channel: its name is for its members. Never throws.
 */
export async function withLabels(deps: LabelDeps, slackText: string): Promise<string> {
  const found = [...slackText.matchAll(unlabelled)].map(([, sign, id = '']) => ({ sign, id }));
  if (found.length === 0) return slackText;
  const { botUserId } = deps.slack.identity;
  const idsOf = (wanted: string) => [...new Set(found.filter(each => each.sign === wanted).map(each => each.id))];
  const [people, channels] = await Promise.all([
    namesOf(
      deps.people,
      idsOf('@').filter(id => id !== botUserId),
    ),
    namesOfChannels(deps, idsOf('#').slice(0, maxChannels)),
  ]);
  const names = new Map([[botUserId, 'Muster'], ...people, ...channels]);
  return slackText.replace(unlabelled, (typed, sign: string, id: string) => {
    const name = toLabel(names.get(id) ?? '');
    return name === '' ? typed : `<${sign}${id}|${name}>`;
  });
}

/** Names of public channels by id. */
async function namesOfChannels({ slack }: LabelDeps, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const infos = await Promise.all(
    ids.map(channel => slack.quick.conversations.info({ channel }).catch(() => undefined)),
  );
  const named = infos.flatMap(info => {
    const { id = '', name = '', is_private: isPrivate } = info?.channel ?? {};
    return isPrivate === false ? [[id, name] as const] : [];
  });
  return new Map(named);
}

/** A name as it may stand within `<…>`. */
function toLabel(name: string): string {
  return escapeMrkdwn(toOneLine(name));
}
