import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { WorkspaceView } from '../workspace/protocol.ts';
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
export function useWorkspace(): WorkspaceView {
  const workspace = usePart(pickWorkspace);
  if (workspace === undefined) throw new Error('page: a component stands outside the shell');
  return workspace;
}

/** The workspace as messages speak of it. What hangs on it is not drawn anew whenever somebody writes. */
export function useDirectory(): WorkspaceView {
  const directory = usePart(pickDirectory);
  if (directory === undefined) throw new Error('page: a component stands outside the shell');
  return directory;
}

/** The same as {@link usePart}, drawn at most ten times a second: for what changes with each request. */
export function useCalmPart<T>(pick: (state: State) => T): T {
  const store = useStore();
  const [part, draw] = useState<T>(() => pick(store.state));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      draw(() => pick(store.state));
    };
    look();
    const end = store.subscribe(() => {
      timer ??= setTimeout(look, calm);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [store, pick]);
  return part;
}

/** Milliseconds between two drawings of a calm part. */
const calm = 100;

const pickDirectory = (state: State): WorkspaceView | undefined => state.directory;
const pickWorkspace = (state: State): WorkspaceView | undefined => state.workspace;
