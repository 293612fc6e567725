import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toObject, toText } from '../../../fake-slack/protocol/json.ts';
import { type ChartData, pieSlices, readChart, shortNumber } from './chart-data.ts';
import { Plot } from './plot.ts';
import { Unknown } from './unknown.ts';

/** A chart, its legend, and the same figures as a table for those who see no picture. */
export function Chart({ block }: { readonly block: JsonObject }): VNode {
  const data = readChart(toObject(block.chart));
  if (data === undefined) return html`<${Unknown} kind="block" json=${block} />`;
  const title = toText(block.title);
  const names = data.kind === 'pie' ? data.segments.map(each => each.label) : data.series.map(each => each.name);
  return html`<figure class="chart">
    <figcaption class="chart-title">${title}</figcaption>
    <div class=${data.kind === 'pie' ? 'chart-body pie' : 'chart-body'}>
      ${data.kind === 'pie' ? toPie(data) : html`<${Plot} data=${data} />`}
      <ul class="legend" aria-hidden="true">${names.map(
        (name, index) =>
          html`<li><span class=${`legend-key paint-${index % 6}`}></span>${name}${shareOf(data, index)}</li>`,
      )}</ul>
    </div>
    ${toFigures(data, title)}
  </figure>`;
}

function shareOf(data: ChartData, index: number): string {
  if (data.kind !== 'pie') return '';
  const total = data.segments.reduce((sum, each) => sum + each.value, 0);
  const value = data.segments[index]?.value ?? 0;
  return total === 0 ? '' : ` ${shortNumber(value)} (${Math.round((100 * value) / total)}%)`;
}

function toPie(data: Extract<ChartData, { kind: 'pie' }>): VNode {
  return html`<svg class="pie-picture" viewBox="-100 -100 200 200" aria-hidden="true" focusable="false">${pieSlices(
    data.segments,
    96,
  ).map((path, index) => html`<path class=${`slice paint-${index % 6}`} d=${path} />`)}</svg>`;
}

function toFigures(data: ChartData, title: string): VNode {
  const head = data.kind === 'pie' ? ['', 'Value'] : [data.xLabel, ...data.series.map(each => each.name)];
  const rows =
    data.kind === 'pie'
      ? data.segments.map(each => [each.label, String(each.value)])
      : data.categories.map((category, at) => [category, ...data.series.map(each => String(each.values[at] ?? ''))]);
  return html`<table class="out-of-sight">
    <caption>${title}</caption>
    <thead><tr>${head.map((cell, index) => (cell === '' ? html`<td></td>` : html`<th scope="col" key=${index}>${cell}</th>`))}</tr></thead>
    <tbody>${rows.map(([name, ...values]) => html`<tr><th scope="row">${name}</th>${values.map(value => html`<td>${value}</td>`)}</tr>`)}</tbody>
  </table>`;
}
