import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

/*
 * The door of the picture library. The first picture loads it; it writes SVG without a browser.
 */

use([BarChart, CustomChart, GridComponent, LegendComponent, LineChart, ScatterChart, SVGRenderer]);

/** The reader of a picture: the background and the width of the screen. */
export interface Reader {
  readonly theme: 'light' | 'dark';
  readonly size: 'wide' | 'narrow';
}

/** Draws a picture as SVG of `width` by `height` pixels. */
export function drawPicture(option: EChartsCoreOption, { width, height }: { width: number; height: number }): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, backgroundColor: 'transparent', useUTC: true, ...option });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
