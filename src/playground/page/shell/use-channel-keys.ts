import { useEffect } from 'preact/hooks';
import type { Store } from '../store.ts';
import { stepFrom } from './channel-sections.ts';

/** Alt with an arrow up or down goes to the channel above or below in the list. Escape closes the thread. */
export function useChannelKeys(store: Store): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if (event.key === 'Escape' && store.state.thread !== undefined) store.closeThread();
      const step = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
      if (!event.altKey || step === undefined) return;
      event.preventDefault();
      const { workspace, channel } = store.state;
      const next = stepFrom(workspace?.channels ?? [], channel, step);
      if (next !== undefined) void store.showChannel(next.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
}
