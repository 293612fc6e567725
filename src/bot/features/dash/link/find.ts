import type { z } from 'zod';
import type { Api } from '../../../../contract/contract.ts';
import type { Dashboards } from '../../../../contract/dashboards.ts';
import type { CallOptions } from '../../../../contract/define.ts';
import { RpcError } from '../../../../contract/errors.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { fold } from '../../../incident/state/roles.ts';
import type { Settings } from '../../../incident/state/settings.ts';
import { toMrkdwn } from '../../../text/blocks.ts';
import { type DashboardAddress, readDashboardAddress } from './address.ts';
import { noTitle, otherWay, readTitles, type Titled } from './titles.ts';

/** A dashboard as the API has it at this moment. */
export type Dashboard = z.output<typeof Dashboards.get.output>;

/** Why there is no dashboard, in mrkdwn, and those that may be meant. */
export interface NotFound {
  readonly problem: string;
  readonly near: readonly Titled[];
}

/** The dashboard of that uid; undefined when the API does not have it. Other errors go to the error boundary. */
export function getDashboard(api: Api, uid: string, call?: CallOptions): Promise<Dashboard | undefined> {
  return orMissing(api.Dashboards.get({ uid }, call));
}

/** Undefined when the API does not have it. Throws other errors. */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The dashboard behind an address that the API itself gave; undefined when it is something else. */
export function readTarget(location: string, settings: Settings): DashboardAddress | undefined {
  const hosts = URL.canParse(location) ? [new URL(location).host] : [];
  const { webUrl, dashboardHosts } = settings;
  const target = readDashboardAddress(location, { webUrl, dashboardHosts: [...dashboardHosts, ...hosts] });
  return target.kind === 'dashboard' ? target : undefined;
}

/** Says that no dashboard has that uid, in mrkdwn. */
export function noDashboard(uid: string): string {
  return `There is no dashboard with the uid “${toMrkdwn(uid, 60)}”. ${otherWay}`;
}

/** The dashboard that was typed: by uid, by address, by short link, or by its title. */
export async function findTyped(ctx: Context, typed: string): Promise<Dashboard | NotFound> {
  const { api, settings } = ctx.deps;
  const address = readDashboardAddress(typed, settings);
  if (address.kind === 'dashboard') {
    const found = await getDashboard(api, address.uid);
    if (found) return found;
  }
  if (address.kind === 'short') {
    const location = await orMissing(api.ShortUrls.goto({ uid: address.uid }));
    const target = location && readTarget(location.location, settings);
    const found = target && (await getDashboard(api, target.uid));
    return found ?? { problem: `No dashboard is behind the short link “${toMrkdwn(address.uid, 60)}”.`, near: [] };
  }
  const isTitle = typed.trim() !== '' && !typed.includes('/');
  const titled = isTitle ? await findByTitle(ctx, typed) : undefined;
  if (titled?.only) {
    const found = await getDashboard(api, titled.only.uid);
    if (found) return found;
  }
  const near = titled?.near ?? [];
  if (address.kind === 'dashboard' && !titled?.isRefused) return { problem: noDashboard(address.uid), near };
  if (address.kind === 'none' && !isTitle) return { problem: toMrkdwn(address.problem, 1000), near };
  return { problem: noTitle(ctx, typed, titled?.isRefused ?? false), near };
}

/** The dashboard of that title, or, when there is none or more than one, those that may be meant. */
async function findByTitle(
  ctx: Context,
  title: string,
): Promise<{ only: Titled | undefined; near: readonly Titled[]; isRefused: boolean }> {
  const { known, isRefused } = await readTitles(ctx, title.trim());
  const same = known.filter(one => fold(one.title) === fold(title));
  if (same.length === 1) return { only: same[0], near: [], isRefused };
  const near = same.length > 1 ? same : known.filter(one => fold(one.title).includes(fold(title)));
  return { only: undefined, near: near.slice(0, mostNear), isRefused };
}

/** Dashboards that are offered at most where a title is not clear. */
export const mostNear = 5;
