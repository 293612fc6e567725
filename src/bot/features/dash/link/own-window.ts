import { z } from 'zod';
import type { WrittenWindow } from './time-window.ts';

const end = (usual: string) => z.union([z.string().trim().min(1), z.number().transform(String)]).catch(usual);
const OwnTime = z.object({ from: end('now-6h'), to: end('now') });

/** A dashboard's own window, in either form of a model; Grafana's default for an end that the model does not have. */
export function ownWindow({ time, timeSettings }: Readonly<Record<string, unknown>>): WrittenWindow {
  return OwnTime.catch({ from: 'now-6h', to: 'now' }).parse(time ?? timeSettings);
}

const OwnZone = z.object({ timezone: z.string() });

/** A dashboard's own time zone, in either form of a model; `""` for none. */
export function ownZone({ timezone, timeSettings }: Readonly<{ timezone: string } & Record<string, unknown>>): string {
  return timezone || (OwnZone.safeParse(timeSettings).data?.timezone ?? '');
}
