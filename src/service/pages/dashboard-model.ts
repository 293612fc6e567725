/*
 * Reads the model of a dashboard, of which nothing is certain: whoever saved it may have put anything anywhere, and models of many
 * versions of Grafana are about. What is not as expected is passed over.
 */

/** A panel as a page shows it. Texts are as they stand in the model. */
export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description: string;
  readonly datasource: string;
  readonly queries: readonly string[];
  /** Of a grid of 24 columns: where it begins, from 0, and how many it takes. */
  readonly x: number;
  readonly width: number;
}

/** Panels under one heading, in the order in which they are read; the first row of a dashboard may have no title. */
export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A variable that a dashboard has, and what it stands for until somebody chooses. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

type Model = Readonly<Record<string, unknown>>;

/** The most panels that are read. */
const mostPanels = 500;
/** The most queries of one panel that are read. */
const mostQueries = 20;
/** The columns of a panel that does not say how many it takes, as Grafana has it (PanelModel's default `gridPos`). */
const usualWidth = 6;

/** The panels of a model row by row, those of folded rows too. */
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

/** The window of time that a model opens with; `""` for an end it does not say. */
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

/** The words of a query, in whichever member the kind of data source has them. */
function readQuery(target: Model): string {
  const found = ['expr', 'rawSql', 'query', 'target', 'queryText', 'expression'].map(member => target[member]);
  return found.map(toText).find(each => each.trim() !== '') ?? '';
}

/** What a variable that nobody chose for can only be; what a data source answers to a query is not in the model. */
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
