import { html, raw } from 'hono/html';
import type { Tick } from './axis.ts';
import type { Html } from './escape.ts';

/*
 * Pictures of pages: one inline SVG each, for every width, theme and paper. Its plot is as wide as there is room, so what lies on it
 * has its place across in per cent and its place down in pixels. Colours are classes of style/picture.css.
 */

/** A place on a plot: `37.25%`. */
export function percent(at: number): string {
  return `${Number(at.toFixed(2))}%`;
}

/** A picture of `height` pixels. `kind` is its class, which gives its colours and the room left of its plot; `alt` says it in words. */
export function plot(kind: string, height: number, alt: string, content: Html): Html {
  return html`<svg class="plot ${kind}" height="${height}" role="img" aria-label="${alt}">${content}</svg>`;
}

/** The marks of an axis across: a line from `top` to `bottom` for each, and its words below. */
export function across(ticks: readonly Tick[], top: number, bottom: number): Html {
  return html`${ticks.map(({ at, words, isMinor }) => {
    const x = percent(at);
    return html`<g class="tick aid${isMinor ? ' minor' : ''}"><line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/><text x="${x}" y="${bottom + 16}" text-anchor="middle">${words}</text></g>`;
  })}`;
}

/** The marks of an axis upward, 0 at `bottom`: a line across for each, and its words left of the plot. */
export function upward(ticks: readonly Tick[], top: number, bottom: number): Html {
  return html`${ticks.map(({ at, words }) => {
    const y = bottom - ((bottom - top) * at) / 100;
    return html`<g class="tick aid"><line x1="0" x2="100%" y1="${y}" y2="${y}"/><text x="-8" y="${y + 4}" text-anchor="end">${words}</text></g>`;
  })}`;
}

/** Upright strokes of `height` pixels from `y` down, as one path; `places` are per cent of the plot. */
export function strokes(kind: string, places: readonly number[], y: number, height: number): Html {
  const path = [...new Set(places.map(at => Math.round(at * 20) / 2))].map(x => `M${x} 0v${height}`).join('');
  return html`<svg class="strokes ${kind}" y="${y}" height="${height}" viewBox="0 0 1000 ${height}" preserveAspectRatio="none"><path d="${raw(path)}"/></svg>`;
}
