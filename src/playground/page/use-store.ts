import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { WorkspaceFacts } from '../workspace/protocol.ts';
import type { State } from './state.ts';
import type { Store } from './store.ts';

/** Holds the store of everything below it. */
export const StoreContext = createContext<Store | undefined>(undefined);

/** The store of the page. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new Error('page: a component stands outside StoreContext');
  return store;
}

/** A part of the state. The component is drawn anew when that part becomes another object or value. */
export function usePart<T>(pick: (state: State) => T): T {
  const store = useStore();
  const [, draw] = useState<T>(() => pick(store.state));
  const part = pick(store.state);
  useEffect(() => {
    const look = (): void => draw(() => pick(store.state));
    // What changed since this was drawn is seen too.
    look();
    return store.subscribe(look);
  }, [store, pick]);
  return part;
}

/** The workspace. Stands only in components below the shell, which waits for it. */
export function useWorkspace(): WorkspaceFacts {
  const workspace = usePart(pickWorkspace);
  if (workspace === undefined) throw new Error('page: a component stands outside the shell');
  return workspace;
}

const pickWorkspace = (state: State): WorkspaceFacts | undefined => state.workspace;
