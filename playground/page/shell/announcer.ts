import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { plainText } from '../messages/plain-text.ts';
import { nameOf, usePart, useWorkspace } from '../use-store.ts';

/** Reads new messages of the open channel to people who cannot see them. */
export function Announcer(): VNode {
  const workspace = useWorkspace();
  const newest = usePart(({ panes }) => {
    const { window } = panes.channel;
    return window?.hasNewer ? undefined : window?.messages.at(-1);
  });
  const channel = usePart(state => state.channel);
  const [known, setKnown] = useState({ channel, ts: newest?.ts });
  const [words, setWords] = useState('');
  useEffect(() => {
    if (newest === undefined || newest.ts === known.ts) return;
    if (known.channel === channel && known.ts !== undefined && newest.author !== workspace.me) {
      setWords(`${nameOf(workspace.people, newest.author)}: ${plainText(workspace, newest.text, 300)}`);
    }
    // Words about another channel, or of a server that was started anew, are of no use any more.
    else if (known.channel !== channel) setWords('');
    setKnown({ channel, ts: newest.ts });
  }, [newest?.ts, channel]);
  return html`<div class="out-of-sight" aria-live="polite">${words}</div>`;
}
