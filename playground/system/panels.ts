/** The data source that a person picks. */
export const prometheus = { type: 'prometheus', uid: '$source' };
const loki = { type: 'loki', uid: 'loki' };

/** A panel but its place: `at` gives it one. */
export interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly [member: string]: unknown;
}

/** A query in Prometheus' language, with the name of its line. */
export const query = (expr: string, legendFormat = '') => ({ expr, legendFormat, datasource: prometheus, range: true });

/** Named by letters, as Grafana does. */
export const targets = (...queries: readonly ReturnType<typeof query>[]) =>
  queries.map((each, index) => ({ ...each, refId: String.fromCharCode(65 + index) }));

const steps = (amber: number, red: number) => ({
  mode: 'absolute',
  steps: [
    { color: 'green', value: null },
    { color: 'orange', value: amber },
    { color: 'red', value: red },
  ],
});

/** Lines over time. */
export function lines(title: string, unit: string, queries: ReturnType<typeof targets>, description = ''): Panel {
  const custom = { drawStyle: 'line', lineWidth: 1, fillOpacity: 10, showPoints: 'never', stacking: { mode: 'none' } };
  return {
    type: 'timeseries',
    title,
    description,
    datasource: prometheus,
    targets: queries,
    fieldConfig: { defaults: { unit, custom, color: { mode: 'palette-classic' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}

/** One number, coloured by its thresholds. */
export function number(
  title: string,
  unit: string,
  expr: string,
  { amber, red, type = 'stat' }: { amber: number; red: number; type?: 'stat' | 'gauge' | 'bargauge' },
): Panel {
  return {
    type,
    title,
    datasource: prometheus,
    targets: targets(query(expr)),
    fieldConfig: { defaults: { unit, thresholds: steps(amber, red) }, overrides: [] },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'area' },
  };
}

/** A table of the newest values. */
export function table(title: string, expr: string, description: string): Panel {
  return {
    type: 'table',
    title,
    description,
    datasource: prometheus,
    targets: targets({ ...query(expr), range: false }),
    transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
    options: { sortBy: [{ displayName: 'Value', desc: true }] },
  };
}

/** How often each time was taken. */
export function heat(title: string, expr: string): Panel {
  return {
    type: 'heatmap',
    title,
    datasource: prometheus,
    targets: targets({ ...query(expr, '{{le}}'), range: true }),
    options: { calculate: false, yAxis: { unit: 's' }, color: { scheme: 'Oranges', mode: 'scheme' } },
  };
}

/** What a program wrote. */
export function logs(title: string, expr: string): Panel {
  return {
    type: 'logs',
    title,
    datasource: loki,
    targets: [{ expr, refId: 'A', datasource: loki }],
    options: { showTime: true, wrapLogMessage: true, sortOrder: 'Descending' },
  };
}

/** Words in Markdown. */
export function note(content: string): Panel {
  return { type: 'text', title: '', options: { mode: 'markdown', content } };
}

/** A row with its panels below it, three beside each other unless they are two. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** The panels at their places, 24 columns wide, each row before its own. */
export function toPanels(rows: readonly Row[]): readonly object[] {
  let id = 0;
  let y = 0;
  return rows.flatMap(({ title, panels }) => {
    const width = panels.length % 3 === 0 ? 8 : 12;
    id += 1;
    const row = { id, type: 'row', title, collapsed: false, panels: [], gridPos: { h: 1, w: 24, x: 0, y } };
    const placed = panels.map((panel, index) => {
      id += 1;
      const line = Math.floor((index * width) / 24);
      return { id, ...panel, gridPos: { h: 8, w: width, x: (index * width) % 24, y: y + 1 + line * 8 } };
    });
    y += 1 + Math.ceil((panels.length * width) / 24) * 8;
    return [row, ...placed];
  });
}
