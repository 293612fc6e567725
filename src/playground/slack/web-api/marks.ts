import { setPinned, setReaction } from '../feed.ts';
import { type JsonObject, toText } from '../json.ts';
import { SlackRefusal } from '../refusal.ts';
import { toWireMessage } from '../wire.ts';
import type { Bookmark, Mutable, StoredChannel } from '../workspace.ts';
import type { Arguments } from './arguments.ts';
import { anyOf, type Backend, findChannel, findMessage, findOwnChannel, type Methods } from './method.ts';

/** Reactions, pins and bookmarks: marks on messages and channels. */
export const markMethods: Methods = {
  'reactions.add': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, true) },
  'reactions.remove': { scopes: anyOf('reactions:write'), run: (backend, args) => react(backend, args, false) },
  'reactions.get': {
    scopes: anyOf('reactions:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const message = findMessage(backend, channel, args.required('timestamp'));
      return { type: 'message', channel: channel.id, message: toWireMessage(backend.workspace, message) };
    },
  },
  'pins.add': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, true)) {
        throw new SlackRefusal('already_pinned');
      }
      return {};
    },
  },
  'pins.remove': {
    scopes: anyOf('pins:write'),
    run(backend, args) {
      const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
      if (!setPinned(backend.workspace, message, backend.workspace.botUserId, false)) throw new SlackRefusal('no_pin');
      return {};
    },
  },
  'pins.list': {
    scopes: anyOf('pins:read'),
    run(backend, args) {
      const channel = findChannel(backend, args);
      const pinned = channel.messages.filter(message => message.pinned);
      return {
        items: pinned.map(message => ({
          type: 'message',
          channel: channel.id,
          message: { ...toWireMessage(backend.workspace, message), permalink: message.permalink },
        })),
      };
    },
  },
  'bookmarks.add': {
    scopes: anyOf('bookmarks:write'),
    run(backend, args) {
      const channel = findOwnChannel(backend, args, 'channel_id');
      if (args.text('type') !== 'link') throw new SlackRefusal('invalid_bookmark_type');
      const bookmark = {
        id: backend.workspace.nextId('Bk'),
        title: args.required('title'),
        link: checkLink(args.text('link')),
        emoji: args.text('emoji') ?? '',
      };
      channel.bookmarks.push(bookmark);
      return { bookmark: toWireBookmark(channel, bookmark) };
    },
  },
  'bookmarks.edit': {
    scopes: anyOf('bookmarks:write'),
    run(backend, args) {
      const channel = findOwnChannel(backend, args, 'channel_id');
      const bookmark = findBookmark(channel, args);
      if (args.text('title') !== undefined) bookmark.title = args.required('title');
      if (args.text('link') !== undefined) bookmark.link = checkLink(args.text('link'));
      if (args.raw.emoji !== undefined) bookmark.emoji = toText(args.raw.emoji);
      return { bookmark: toWireBookmark(channel, bookmark) };
    },
  },
  'bookmarks.list': {
    scopes: anyOf('bookmarks:read'),
    run(backend, args) {
      const channel = findChannel(backend, args, 'channel_id');
      return { bookmarks: channel.bookmarks.map(bookmark => toWireBookmark(channel, bookmark)) };
    },
  },
  'bookmarks.remove': {
    scopes: anyOf('bookmarks:write'),
    run(backend, args) {
      const channel = findOwnChannel(backend, args, 'channel_id');
      const bookmark = findBookmark(channel, args);
      channel.bookmarks = channel.bookmarks.filter(other => other !== bookmark);
      return {};
    },
  },
};

function react(backend: Backend, args: Arguments, present: boolean): JsonObject {
  const name = args.required('name').replaceAll(':', '');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new SlackRefusal('invalid_name');
  const message = findMessage(backend, findOwnChannel(backend, args), args.required('timestamp'));
  if (!setReaction(backend.workspace, message, backend.workspace.botUserId, name, present)) {
    throw new SlackRefusal(present ? 'already_reacted' : 'no_reaction');
  }
  return {};
}

function findBookmark(channel: StoredChannel, args: Arguments): Mutable<Bookmark> {
  const bookmark = channel.bookmarks.find(candidate => candidate.id === args.required('bookmark_id'));
  if (bookmark === undefined) throw new SlackRefusal('not_found');
  return bookmark;
}

function checkLink(link: string | undefined): string {
  if (link === undefined || !/^https?:\/\//.test(link) || !URL.canParse(link)) throw new SlackRefusal('invalid_link');
  return link;
}

function toWireBookmark(channel: StoredChannel, bookmark: Bookmark): JsonObject {
  return { ...bookmark, channel_id: channel.id, type: 'link', icon_url: '', rank: 'l', entity_id: null };
}
