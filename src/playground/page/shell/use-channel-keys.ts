import { useEffect } from 'preact/hooks';
import type { Store } from '../store.ts';

/** Alt with an arrow up or down goes to the channel above or below. Escape closes the thread. */
export function useChannelKeys(store: Store): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if (event.key === 'Escape' && store.state.thread !== undefined) store.closeThread();
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!event.altKey || step === undefined) return;
      event.preventDefault();
      const own = (store.state.workspace?.channels ?? []).filter(each => each.isMember);
      const at = own.findIndex(each => each.id === store.state.channel);
      const next = own[(at + step + own.length) % own.length];
      if (next !== undefined) void store.showChannel(next.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
}
