import { label, selector } from './prometheus.ts'

/* The Grafana dashboard: one row of panels for each question of an operator. */

type Query = { expr: string; legend: string }
type Panel = { title: string; unit: string; queries: readonly Query[]; description?: string }

const rate = (series: string): string => `rate(${series}[$__rate_interval])`
const quantile = (share: number, series: string, by = ''): string =>
  `histogram_quantile(${share}, sum by (le${by}) (${rate(series)}))`
const percentiles = (series: string): Query[] =>
  [0.5, 0.95, 0.99].map((share) => ({ expr: quantile(share, series), legend: `p${share * 100}` }))
const maxBy = (by: string, series: string, legend = `{{${by}}}`): Query => ({
  expr: `max by (${by}) (${series})`,
  legend,
})

const outcome = label('platter.saga.duration', 'platter.saga.outcome')
const step = label('platter.saga.oldest', 'platter.saga.step')
const queue = label('platter.queue.messages', 'messaging.destination.name')
const kind = label('platter.incidents', 'platter.incident.kind')
const chargeKind = label('platter.charges', 'platter.charge.kind')
const chargeOutcome = label('platter.charges', 'platter.charge.outcome')
const status = label('http.server.request.duration', 'http.response.status_code')
const route = label('http.server.request.duration', 'http.route')
const template = label('http.client.request.duration', 'url.template')
const limit = label('platter.permits.in_use', 'platter.limit.name')
const gateway = { job: 'platter/gateway' }
const sendOrder = { ...gateway, 'http.route': '/publicapi/v1/send-order' }

const ROWS: readonly { title: string; panels: readonly Panel[] }[] = [
  {
    title: 'Orders',
    panels: [
      {
        title: 'Orders that ended, by outcome',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (${outcome}) (${rate(selector('platter.saga.duration', {}, 'count'))})`,
            legend: `{{${outcome}}}`,
          },
        ],
      },
      {
        title: 'Duration of an order',
        unit: 's',
        queries: percentiles(selector('platter.saga.duration', {}, 'bucket')),
      },
      {
        title: 'Send-order',
        unit: 's',
        queries: percentiles(selector('http.server.request.duration', sendOrder, 'bucket')),
      },
    ],
  },
  {
    title: 'Incidents and attendance',
    panels: [
      { title: 'Open incidents', unit: 'short', queries: [maxBy(kind, selector('platter.incidents'))] },
      {
        title: 'Restaurants that no one attends, and orders that no one starts',
        unit: 'short',
        queries: [
          maxBy(
            kind,
            selector('platter.incidents', {
              'platter.incident.kind': /restaurant-unattended|order-unaccepted/,
            }),
          ),
        ],
      },
      {
        title: 'Dead letters',
        unit: 'short',
        queries: [maxBy('platter_command', selector('platter.dead_letters'))],
      },
    ],
  },
  {
    title: 'Sagas and queues',
    panels: [
      {
        title: 'Age of the oldest saga, by awaited step',
        unit: 's',
        queries: [maxBy(step, selector('platter.saga.oldest'))],
      },
      {
        title: 'Sagas in flight, by awaited step',
        unit: 'short',
        queries: [maxBy(step, selector('platter.saga.in_flight'))],
      },
      {
        title: 'Waiting messages',
        unit: 'short',
        queries: [maxBy(queue, selector('platter.queue.messages'))],
      },
    ],
  },
  {
    title: 'Payments',
    panels: [
      {
        title: 'Calls to the processor, by kind and outcome',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (${chargeKind}, ${chargeOutcome}) (${rate(selector('platter.charges'))})`,
            legend: `{{${chargeKind}}} {{${chargeOutcome}}}`,
          },
        ],
      },
      {
        title: 'Refunds and voids',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (${chargeKind}, ${chargeOutcome}) (${rate(selector('platter.charges', { 'platter.charge.kind': /refund|void/ }))})`,
            legend: `{{${chargeKind}}} {{${chargeOutcome}}}`,
          },
        ],
      },
    ],
  },
  {
    title: 'Requests',
    panels: [
      {
        title: 'Responses of the gateway, by status',
        unit: 'reqps',
        queries: [
          {
            expr: `sum by (${status}) (${rate(selector('http.server.request.duration', gateway, 'count'))})`,
            legend: `{{${status}}}`,
          },
        ],
      },
      {
        title: 'p99 by endpoint',
        unit: 's',
        queries: [
          {
            expr: `topk(10, ${quantile(0.99, selector('http.server.request.duration', gateway, 'bucket'), `, ${route}`)})`,
            legend: `{{${route}}}`,
          },
        ],
      },
      {
        title: 'p99 of requests between services',
        unit: 's',
        queries: [
          {
            expr: `topk(10, ${quantile(0.99, selector('http.client.request.duration', {}, 'bucket'), `, job, ${template}`)})`,
            legend: `{{job}} {{${template}}}`,
          },
        ],
      },
    ],
  },
  {
    title: 'Saturation',
    panels: [
      {
        title: 'Permits in use',
        unit: 'percentunit',
        queries: [
          {
            expr: `max by (job, ${limit}) (${selector('platter.permits.in_use')} / ${selector('platter.permits.limit')})`,
            legend: `{{job}} {{${limit}}}`,
          },
        ],
      },
      {
        title: 'Event loop: busy',
        unit: 'percentunit',
        queries: [maxBy('job', selector('nodejs.eventloop.utilization'))],
      },
      {
        title: 'Event loop: delay, p99',
        unit: 's',
        queries: [maxBy('job', selector('nodejs.eventloop.delay.p99'))],
      },
      {
        title: 'Database connections in use',
        unit: 'percentunit',
        queries: [
          {
            expr: `max by (job) (${selector('db.client.connection.count', { 'db.client.connection.state': 'used' })} / on (job, instance) ${selector('db.client.connection.max')})`,
            legend: '{{job}}',
          },
        ],
      },
      {
        title: 'Statements that wait for a connection',
        unit: 'short',
        queries: [maxBy('job', selector('db.client.connection.pending_requests'))],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [
          maxBy('job', selector('process.memory.usage'), '{{job}} resident'),
          maxBy('job', selector('v8js.memory.heap.used'), '{{job}} heap'),
        ],
      },
    ],
  },
]

const WIDTH = 24
const PANEL = { w: 8, h: 8 }
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

/** Returns the dashboard as the JSON that Grafana imports. */
export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const row of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row.title,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
      panels: [],
    })
    y += 1
    row.panels.forEach((panel, index) => {
      const gridPos = {
        ...PANEL,
        x: (index * PANEL.w) % WIDTH,
        y: y + Math.floor((index * PANEL.w) / WIDTH) * PANEL.h,
      }
      panels.push(timeSeries(panel, panels.length + 1, gridPos))
    })
    y += Math.ceil((row.panels.length * PANEL.w) / WIDTH) * PANEL.h
  }
  const document = {
    uid: 'platter',
    title: 'Platter',
    tags: ['platter'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source', hide: 0 }],
    },
    panels,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const timeSeries = ({ title, unit, queries }: Panel, id: number, gridPos: object) => ({
  id,
  type: 'timeseries',
  title,
  gridPos,
  datasource: DATASOURCE,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  targets: queries.map(({ expr, legend }, index) => ({
    refId: String.fromCodePoint(65 + index),
    datasource: DATASOURCE,
    expr,
    legendFormat: legend,
  })),
})
