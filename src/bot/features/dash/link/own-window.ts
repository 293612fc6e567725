import { z } from 'zod';
import type { WrittenWindow } from './time-window.ts';

const OwnTime = z.object({ from: z.string(), to: z.string() });

/** A dashboard's own window; Grafana's default when the model has none. */
export function ownWindow(time: unknown): WrittenWindow {
  const own = OwnTime.safeParse(time);
  return own.success ? own.data : { from: 'now-6h', to: 'now' };
}
