import { decodeEntities } from '../../fake-slack/protocol/entities.ts';
import type { WorkspaceView } from '../../workspace/protocol.ts';

/** A message's stored text as its author would type it: names for references, and marks as they are. */
export function toTyped(stored: string, { people, channels, groups }: WorkspaceView): string {
  const typed = stored.replace(
    /<([@#!]?)([^|>]+)(?:\|([^>]*))?>/g,
    (whole, sigil: string, target: string, label?: string) => {
      if (sigil === '@') return `@${people.find(each => each.id === target)?.name ?? label ?? target}`;
      if (sigil === '#') return `#${channels.find(each => each.id === target)?.name ?? label ?? target}`;
      if (sigil === '') return target;
      const group = /^subteam\^(.+)$/.exec(target)?.[1];
      return group === undefined ? `@${target}` : `@${groups.find(each => each.id === group)?.handle ?? whole}`;
    },
  );
  return decodeEntities(typed);
}
