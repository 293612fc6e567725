import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Act, ActAnswer, WorkspaceView } from '../../workspace/protocol.ts';

/** What blocks need of the page around them. */
export interface Surroundings {
  readonly workspace: WorkspaceView;
  /** Sends what the person does. */
  readonly act: (act: Act) => Promise<ActAnswer>;
  readonly showChannel: (id: string) => void;
}

/** Holds the surroundings of everything below it. */
export const SurroundingsContext = createContext<Surroundings | undefined>(undefined);

/** The surroundings of a component. */
export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext);
  if (surroundings === undefined) throw new Error('blocks: a component stands outside SurroundingsContext');
  return surroundings;
}
