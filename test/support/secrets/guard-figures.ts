import { findSecrets } from '../../../src/bot/secrets/find-secrets.ts';
import { Random } from '../../soak/simulate/random.ts';
import { makeHarmless } from './harmless.ts';
import { makeSecrets } from './secrets.ts';

/** Texts of each sort that are examined. */
const examined = 10_000;
const seed = 20_261_120;

/** How many of a kind's texts were held back. */
export interface KindFigure {
  readonly kind: string;
  readonly texts: number;
  readonly heldBack: number;
}

/** What the guard holds back of texts with secrets, and of harmless ones; the same in each run. */
export function measureGuard(): { readonly secret: readonly KindFigure[]; readonly harmless: readonly KindFigure[] } {
  return {
    secret: tally(makeSecrets(new Random(seed, 'secrets'), examined)),
    harmless: tally(makeHarmless(new Random(seed, 'harmless'), examined)),
  };
}

/** All kinds together. */
export function total(figures: readonly KindFigure[]): KindFigure {
  const sum = (of: 'texts' | 'heldBack') => figures.reduce((all, figure) => all + figure[of], 0);
  return { kind: 'all', texts: sum('texts'), heldBack: sum('heldBack') };
}

function tally(samples: readonly { readonly kind: string; readonly text: string }[]): readonly KindFigure[] {
  const byKind = Map.groupBy(samples, sample => sample.kind);
  return [...byKind].map(([kind, all]) => ({
    kind,
    texts: all.length,
    heldBack: all.filter(({ text }) => findSecrets(text).length > 0).length,
  }));
}
