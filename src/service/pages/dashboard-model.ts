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
export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A variable of a dashboard, with its default value. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

type Model = Readonly<Record<string, unknown>>;

/** The most panels of a page. */
const mostPanels = 500;
/** The most queries of one panel. */
const mostQueries = 20;
/** The columns of a panel that names no width, as in Grafana (PanelModel's default `gridPos`). */
const usualWidth = 6;

/** The panels of a model row by row, folded rows included. */
export function readRows(model: Model): PanelRow[] {
  const old = toList(model.rows);
  if (old.length > 0) return old.map(readOldRow).filter(row => row.panels.length > 0 || row.title !== '');
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
  return rows.filter(row => row.panels.length > 0 || row.title !== '');
}

/** The variables of a model. */
export function readVariables(model: Model): Variable[] {
  return toList(toObject(model.templating).list)
    .map(each => ({ name: toText(each.name), value: readValue(toObject(each.current).value ?? readFixed(each)) }))
    .filter(each => each.name !== '');
}

/** The time window that a model opens with; `""` for an end that it does not name. */
export function readWindow(model: Model): { from: string; to: string } {
  const time = toObject(model.time);
  return { from: toText(time.from), to: toText(time.to) };
}

/** Rows of Grafana before version 5 hold panels with a width of up to 12. */
function readOldRow(row: Model): PanelRow {
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

function readPanel(panel: Model): Panel {
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

function readPlace(panel: Model): { x: number; y: number; width: number } {
  const place = toObject(panel.gridPos);
  const x = clamp(toNumber(place.x, 0), 0, 23);
  return { x, y: toNumber(place.y, 0), width: clamp(toNumber(place.w, usualWidth), 1, 24 - x) };
}

function readDatasource(value: unknown): string {
  if (typeof value === 'string') return value;
  const { type, uid } = toObject(value);
  return [toText(type), toText(uid)].filter(part => part !== '').join(' · ');
}

/** The query as text. Each kind of data source has it in another member. */
function readQuery(target: Model): string {
  const found = ['expr', 'rawSql', 'query', 'target', 'queryText', 'expression'].map(member => target[member]);
  return found.map(toText).find(each => each.trim() !== '') ?? '';
}

/** The fixed value of a variable that has one. The answers of a data source are not in the model. */
function readFixed(variable: Model): unknown {
  return variable.type === 'query' ? '' : variable.query;
}

function readValue(value: unknown): string {
  return Array.isArray(value) ? value.map(toText).filter(Boolean).join(', ') : toText(value);
}

function toObject(value: unknown): Model {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function toList(value: unknown): Model[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'object' && each !== null).map(toObject) : [];
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
