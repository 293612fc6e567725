import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { PersonView, WorkspaceView } from '../workspace/protocol.ts';
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
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => {
    const look = (): void => draw(() => latest.current(store.state));
    // What changed since this was drawn is seen too.
    look();
    return store.subscribe(look);
  }, [store]);
  return part;
}

/** The workspace. Stands only in components below the shell, which waits for it. */
export function useWorkspace(): WorkspaceView {
  const workspace = usePart(state => state.workspace);
  if (workspace === undefined) throw new Error('page: a component stands outside the shell');
  return workspace;
}

/** The workspace as messages speak of it. What hangs on it is not drawn anew whenever somebody writes. */
export function useDirectory(): WorkspaceView {
  const directory = usePart(state => state.directory);
  if (directory === undefined) throw new Error('page: a component stands outside the shell');
  return directory;
}

/** The same as {@link usePart}, drawn at most ten times a second: for what changes with each request. */
export function useCalmPart<T>(pick: (state: State) => T): T {
  const store = useStore();
  const [part, draw] = useState<T>(() => pick(store.state));
  const latest = useRef(pick);
  latest.current = pick;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      draw(() => latest.current(store.state));
    };
    look();
    const end = store.subscribe(() => {
      timer ??= setTimeout(look, calm);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [store]);
  return part;
}

/** Milliseconds between two drawings of a calm part. */
const calm = 100;

/** A person's name as others read it; Slack's own lines are by Slackbot. */
export function nameOf(people: readonly PersonView[], id: string): string {
  return people.find(each => each.id === id)?.realName ?? (id === 'USLACKBOT' ? 'Slackbot' : id);
}
