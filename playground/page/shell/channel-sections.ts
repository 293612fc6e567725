import type { ChannelView } from '../../workspace/protocol.ts';

/** The channels of the list, as it groups them. */
export interface ChannelSections {
  /** Those that the person is in. */
  readonly own: readonly ChannelView[];
  readonly direct: readonly ChannelView[];
  readonly others: readonly ChannelView[];
  readonly archived: readonly ChannelView[];
}

/** Groups channels, and sorts each group by name. */
export function toSections(channels: readonly ChannelView[]): ChannelSections {
  const sorted = channels.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
  const rooms = sorted.filter(each => each.kind !== 'direct');
  const open = rooms.filter(each => !each.isArchived);
  return {
    own: open.filter(each => each.isMember),
    direct: sorted.filter(each => each.kind === 'direct'),
    others: open.filter(each => !each.isMember),
    archived: rooms.filter(each => each.isArchived),
  };
}

/** The channel so many places below the open one, among those that the person talks in; after the last comes the first. */
export function stepFrom(
  channels: readonly ChannelView[],
  open: string | undefined,
  step: 1 | -1,
): ChannelView | undefined {
  const { own, direct } = toSections(channels);
  const all = [...own, ...direct];
  const at = all.findIndex(each => each.id === open);
  const next = at < 0 && step < 0 ? -1 : at + step;
  return all.at(next % Math.max(all.length, 1));
}
