/** What was measured, as a picture: for each case a bar for each subject, with the range of its runs. */
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Report } from '../report.js';

/** SVG. Those of `ours` stand out. */
export async function plot(report: Report, ours: ReadonlySet<string>): Promise<string> {
  const names = <T extends 'case' | 'subject'>(key: T) => [...new Set(report.results.map((one) => one[key]))];
  const values = report.results.map(({ case: work, subject, ms }) => ({
    work,
    subject,
    ...ms,
    label:
      ms.median < 10 ? ms.median.toFixed(2) : ms.median < 100 ? ms.median.toFixed(1) : ms.median.toFixed(0),
    ours: ours.has(subject),
  }));
  const y = { field: 'subject', type: 'nominal', sort: names('subject'), title: null } as const;
  const spec: TopLevelSpec = {
    background: 'white',
    padding: 8,
    data: { values },
    facet: {
      field: 'work',
      type: 'nominal',
      sort: names('case'),
      title: null,
      header: { labelFontSize: 12, labelFontWeight: 'bold' },
    },
    columns: 3,
    spacing: { row: 18, column: 24 },
    spec: {
      width: 190,
      height: { step: 16 },
      layer: [
        {
          mark: { type: 'bar', height: 11 },
          encoding: {
            y,
            x: { field: 'median', type: 'quantitative', title: null, axis: { tickCount: 4 } },
            color: {
              field: 'ours',
              type: 'nominal',
              legend: null,
              scale: { domain: [true, false], range: ['#2f6fb5', '#b9c0c8'] },
            },
          },
        },
        {
          mark: { type: 'rule', color: '#444' },
          encoding: { y, x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
        },
        {
          mark: { type: 'text', align: 'left', dx: 4, fontSize: 9, color: '#333' },
          encoding: { y, x: { field: 'max', type: 'quantitative' }, text: { field: 'label' } },
        },
      ],
    },
    resolve: { scale: { x: 'independent' } },
    config: { font: 'system-ui, sans-serif', view: { stroke: null }, axis: { domain: false } },
  };
  return `${await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG()}\n`;
}
