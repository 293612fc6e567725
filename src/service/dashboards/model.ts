import { isObject, type JsonObject, toObject } from '../../json-object.ts';
/*
 * Reads the model of a dashboard. Callers may have saved anything anywhere, in the form of many versions of Grafana; members
 * that are not as expected are skipped.
 */

/** A panel as a page shows it, with the texts of the model. */
export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description: string;
  readonly datasource: string;
  readonly queries: readonly string[];
  /** Its place in a grid of 24 columns: the first column, from 0, and their number. */
  readonly x: number;
  readonly width: number;
}

/** Panels under one heading, in the order in which they are read; the first row of a dashboard may have no title. */
interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const mostPanels = 500;
const mostQueries = 20;
/** The columns of a panel that names no width, as in Grafana (PanelModel's default `gridPos`). */
const usualWidth = 6;

/**
 * The model with what it leaves to its importer put in: `${DS_PROMETHEUS}` becomes the name of the data source that it was made
 * with, a constant its value. Nothing else changes.
 */
export function withInputs(model: JsonObject): JsonObject {
  const inputs = toList(model.__inputs).map(({ name, type, value, label, pluginName }): [string, string] => [
    toText(name),
    (type === 'constant' ? toText(value) : '') || toText(label) || toText(pluginName),
  ]);
  const known = new Map(inputs.filter(([name, words]) => name !== '' && words !== ''));
  if (known.size === 0) return model;
  const fill = (text: string) => text.replace(/\$\{(\w+)\}/g, (mark, name: string) => known.get(name) ?? mark);
  return JSON.parse(JSON.stringify(model), (_, value: unknown) => (typeof value === 'string' ? fill(value) : value));
}

/** All panels of a model as they were saved, in any form, without those of rows that only hold others. */
export function listPanels(model: JsonObject): JsonObject[] {
  const within = [...toList(model.panels), ...toList(model.rows)].flatMap(each => {
    const isRow = each.type === 'row' || Array.isArray(each.panels);
    return isRow ? listPanels({ panels: each.panels }) : [each];
  });
  return [...within, ...Object.values(toObject(model.elements)).map(each => specOf(toObject(each)))];
}

/** The panels of a model row by row, folded rows included. Newer models have `elements`, and a `layout` that names them. */
export function readRows(model: JsonObject): PanelRow[] {
  const rows = Object.keys(toObject(model.elements)).length > 0 ? readElements(model) : readPanels(model);
  return rows.filter(row => row.panels.length > 0 || row.title !== '');
}

function readPanels(model: JsonObject): PanelRow[] {
  const old = toList(model.rows);
  if (old.length > 0) return old.map(readOldRow);
  const sorted = toList(model.panels)
    .slice(0, mostPanels)
    .map(panel => ({ panel, ...readPlace(panel) }))
    .sort((one, other) => one.y - other.y || one.x - other.x);
  const rows: { title: string; panels: Panel[] }[] = [{ title: '', panels: [] }];
  for (const { panel } of sorted) {
    if (panel.type === 'row') {
      rows.push({ title: toText(panel.title), panels: toList(panel.panels).slice(0, mostPanels).map(readPanel) });
    } else {
      rows.at(-1)?.panels.push(readPanel(panel));
    }
  }
  return rows;
}

/** The rows of a newer model. Elements that its layout does not name come last. */
function readElements(model: JsonObject): PanelRow[] {
  const left = new Map(Object.entries(toObject(model.elements)).slice(0, mostPanels));
  const elements = new Map(left);
  let count = 0;
  const toPanel = (item: JsonObject): Panel[] => {
    const name = toText(toObject(item.element).name);
    const element = elements.get(name);
    if (element === undefined || count >= mostPanels) return [];
    count += 1;
    left.delete(name);
    return [{ ...readElement(toObject(element)), ...toPlace(item.x, item.width) }];
  };
  const read = (layout: JsonObject, title: string): PanelRow[] => {
    const { items, rows, tabs, maxColumnCount } = specOf(layout);
    const width = Math.floor(24 / clamp(toNumber(maxColumnCount, 3), 1, 24));
    const inGrid = toList(items).map(specOf);
    const toRow = (name: unknown, placed: readonly JsonObject[]): PanelRow => ({
      title: joinTitles(title, toText(name)),
      panels: placed.toSorted(byPlace).flatMap(item => toPanel({ width, ...item })),
    });
    const isRow = (item: JsonObject) => Array.isArray(item.elements);
    const below = [...toList(rows), ...toList(tabs)].map(specOf);
    const own = inGrid.filter(item => !isRow(item));
    const folded = inGrid.filter(isRow).toSorted(byPlace);
    return [
      ...(below.length > 0 ? [] : [toRow('', own)]),
      ...folded.map(row => toRow(row.title, toList(row.elements).map(specOf))),
      ...below.flatMap(each => read(toObject(each.layout), joinTitles(title, toText(each.title)))),
    ];
  };
  const rows = read(toObject(model.layout), '');
  const rest = [...left.values()].map(each => ({ ...readElement(toObject(each)), ...toPlace(0, usualWidth) }));
  return [...rows.slice(0, mostPanels), { title: '', panels: rest }];
}

function byPlace(one: JsonObject, other: JsonObject): number {
  return toNumber(one.y, 0) - toNumber(other.y, 0) || toNumber(one.x, 0) - toNumber(other.x, 0);
}

function joinTitles(...titles: readonly string[]): string {
  return titles.filter(each => each !== '').join(' › ');
}

function readElement(element: JsonObject): Omit<Panel, 'x' | 'width'> {
  const { title, description, data, vizConfig, libraryPanel } = specOf(element);
  const queries = toList(specOf(toObject(data)).queries)
    .slice(0, mostQueries)
    .map(specOf);
  const first = queries[0] ?? {};
  const query = toObject(first.query);
  const viz = toObject(vizConfig);
  const source = { type: query.group ?? query.kind, uid: toObject(query.datasource).name };
  return {
    title: toText(title) || toText(toObject(libraryPanel).name),
    type: libraryPanel ? 'library panel' : toText(viz.group) || toText(viz.kind),
    description: toText(description),
    datasource: readDatasource(first.datasource ?? (queries.length > 0 ? source : undefined)),
    queries: queries.map(each => readQuery(specOf(toObject(each.query)))).filter(each => each !== ''),
  };
}

function specOf({ spec }: JsonObject): JsonObject {
  return toObject(spec);
}

/** The variables of a model. */
export function readVariables(model: JsonObject): { readonly name: string; readonly value: string }[] {
  return [...toList(toObject(model.templating).list), ...toList(model.variables).map(specOf)]
    .map(each => ({ name: toText(each.name), value: readValue(currentOf(each.current) ?? readFixed(each)) }))
    .filter(each => each.name !== '');
}

/** The time window that a model opens with; `""` for an end that it does not name. */
export function readWindow(model: JsonObject): { from: string; to: string } {
  const time = toObject(model.time ?? model.timeSettings);
  return { from: toText(time.from), to: toText(time.to) };
}

/** Rows of Grafana before version 5 hold panels with a width of up to 12. */
function readOldRow(row: JsonObject): PanelRow {
  let x = 0;
  const panels = toList(row.panels)
    .slice(0, mostPanels)
    .map(panel => {
      const width = clamp(toNumber(panel.span, 12) * 2, 1, 24);
      if (x + width > 24) x = 0;
      const placed = { ...readPanel(panel), x, width };
      x += width;
      return placed;
    });
  return { title: toText(row.title), panels };
}

function readPanel(panel: JsonObject): Panel {
  const { x, width } = readPlace(panel);
  return {
    title: toText(panel.title),
    type: toText(panel.type),
    description: toText(panel.description),
    datasource: readDatasource(panel.datasource),
    queries: toList(panel.targets)
      .slice(0, mostQueries)
      .map(readQuery)
      .filter(query => query !== ''),
    x,
    width,
  };
}

function readPlace(panel: JsonObject): { x: number; y: number; width: number } {
  const place = toObject(panel.gridPos);
  return { ...toPlace(place.x, place.w), y: toNumber(place.y, 0) };
}

function toPlace(column: unknown, columns: unknown): { x: number; width: number } {
  const x = clamp(toNumber(column, 0), 0, 23);
  return { x, width: clamp(toNumber(columns, usualWidth), 1, 24 - x) };
}

function readDatasource(value: unknown): string {
  if (typeof value === 'string') return value;
  const { type, uid } = toObject(value);
  const [kind, name] = [toText(type), toText(uid)];
  return [kind, kind.toLowerCase() === name.toLowerCase() ? '' : name].filter(part => part !== '').join(' · ');
}

/** The query as text. Each kind of data source has it in another member. */
function readQuery(target: JsonObject): string {
  const found = ['expr', 'rawSql', 'query', 'target', 'queryText', 'expression'].map(member => target[member]);
  return found.map(toText).find(each => each.trim() !== '') ?? '';
}

/** The chosen value of a variable: a switch has it alone, others have it with its text. */
function currentOf(current: unknown): unknown {
  return typeof current === 'string' ? current : toObject(current).value;
}

/** The fixed value of a variable that has one. The answers of a data source are not in the model. */
function readFixed(variable: JsonObject): unknown {
  return variable.type === 'query' || typeof variable.query !== 'string' ? '' : variable.query;
}

function readValue(value: unknown): string {
  return Array.isArray(value) ? value.map(toText).filter(Boolean).join(', ') : toText(value);
}

function toList(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : otherwise;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
