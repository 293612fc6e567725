import { formatDate } from '../block-kit/date-token.ts';
import { type Inline, parseMrkdwn } from '../block-kit/mrkdwn.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The names behind the ids in mrkdwn. A lookup of an unknown id yields `undefined`. */
export interface Directory {
  /** The name people see, without `@`. */
  personName(id: string): string | undefined;
  /** Without `#`. */
  channelName(id: string): string | undefined;
  /** Without `@`. */
  groupHandle(id: string): string | undefined;
  /** When what is rendered was written: the present for ages such as “4 minutes ago”. */
  readonly writtenAt?: Date;
}

/** Looks names up in a workspace. */
export function toDirectory(workspace: Workspace): Directory {
  return {
    personName: id => workspace.people.get(id)?.name,
    channelName: id => workspace.channels.get(id)?.name,
    groupHandle: id => workspace.userGroups.get(id)?.handle,
  };
}

/** Renders mrkdwn as the plain text a person reads: names for references, no marks, decoded entities. */
export function renderMrkdwn(directory: Directory, text: string): string {
  return renderInlines(directory, parseMrkdwn(text));
}

/** Stands after every mention that alarms everybody, such as `@channel`. */
export const broadcastSign = '!!!';

/** Renders formatted text as plain text for a reader in UTC. A mention that alarms people stands out. */
export function renderInline(directory: Directory, node: Inline): string {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'emoji':
      return `:${node.name}:`;
    case 'color':
      return node.value;
    case 'quote':
      return renderInlines(directory, node.children).replaceAll(/^/gm, '> ');
    case 'person':
      return `@${directory.personName(node.id) ?? node.label ?? node.id}`;
    case 'channel':
      return `#${directory.channelName(node.id) ?? node.label ?? node.id}`;
    case 'group':
      return `@${directory.groupHandle(node.id) ?? node.label?.replace(/^@/, '') ?? node.id}`;
    case 'broadcast':
      return `@${node.range} ${broadcastSign}`;
    case 'date': {
      const text = formatDate(node, { zone: 'UTC', ...(directory.writtenAt ? { agesAt: directory.writtenAt } : {}) });
      return node.link === undefined ? text : `${text} (${node.link})`;
    }
    case 'link': {
      const shown = node.url.replace(/^mailto:/, '');
      return node.label === undefined || node.label === shown ? shown : `${node.label} (${node.url})`;
    }
    default:
      return renderInlines(directory, node.children);
  }
}

/** Renders pieces of formatted text as plain text. */
function renderInlines(directory: Directory, nodes: readonly Inline[]): string {
  return nodes.map(node => renderInline(directory, node)).join('');
}
