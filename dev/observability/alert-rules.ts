import { label, selector } from './prometheus.ts'

/* Prometheus alert rules. Replicas report the same sagas, queues and incidents, so their maximum is used, not their sum. */

type Rule = {
  alert: string
  expr: string
  for: string
  severity: 'page' | 'ticket'
  summary: string
  action: string
  /** The heading in docs/operations.md. */
  section: string
}

const SEND_ORDER = '/publicapi/v1/send-order'
const requests = (status?: RegExp) =>
  selector(
    'http.server.request.duration',
    { job: 'platter/gateway', ...(status && { 'http.response.status_code': status }) },
    'count',
  )
const share = (part: string, whole: string): string => `sum(rate(${part}[5m])) / sum(rate(${whole}[5m]))`
const step = label('platter.saga.oldest', 'platter.saga.step')
const kind = label('platter.incidents', 'platter.incident.kind')
const queue = label('platter.queue.messages', 'messaging.destination.name')
const limit = label('platter.permits.in_use', 'platter.limit.name')

export const rules: readonly Rule[] = [
  {
    alert: 'PlatterIncident',
    expr: `max by (${kind}) (${selector('platter.incidents')}) > 0`,
    for: '1m',
    severity: 'page',
    summary: `{{ $value }} open incidents: {{ $labels.${kind} }}`,
    action: 'Run: platter attention list',
    section: 'Alert messages and incidents',
  },
  {
    alert: 'PlatterSagaOverdue',
    expr: `max by (${step}) (${selector('platter.saga.oldest')}) > 300`,
    for: '1m',
    severity: 'page',
    summary: `An order waits for the step {{ $labels.${step} }} past its deadline`,
    action:
      'Check the participant of the step: authorize and capture: payments; transmit: restaurants; save: accounts.',
    section: 'overdue-saga',
  },
  {
    alert: 'PlatterSagasGrow',
    expr: `min_over_time((max by (${step}) (${selector('platter.saga.in_flight')}))[5m:]) > 20 and deriv((max by (${step}) (${selector('platter.saga.in_flight')}))[5m:]) > 0.1`,
    for: '5m',
    severity: 'page',
    summary: `An increasing number of orders waits for the step {{ $labels.${step} }}`,
    action: 'Its participant is unavailable or too slow.',
    section: 'overdue-saga',
  },
  {
    alert: 'PlatterDeadLetters',
    expr: `max(${selector('platter.dead_letters')}) > 0`,
    for: '0m',
    severity: 'ticket',
    summary: '{{ $value }} messages that no consumer could handle',
    action: 'Read the log of the consumer, then run: platter attention retry ID',
    section: 'dead-letter',
  },
  {
    alert: 'PlatterQueueGrows',
    expr: `min_over_time((max by (${queue}) (${selector('platter.queue.messages')}))[5m:]) > 100`,
    for: '5m',
    severity: 'page',
    summary: `{{ $value }} messages wait in {{ $labels.${queue} }}`,
    action: 'Check that the owner of the queue runs, and add replicas.',
    section: 'RabbitMQ',
  },
  {
    alert: 'PlatterProcessorFails',
    expr: `${share(selector('platter.charges', { 'platter.charge.outcome': 'unknown' }), selector('platter.charges'))} > 0.05`,
    for: '5m',
    severity: 'page',
    summary:
      '{{ $value | humanizePercentage }} of the calls to the payment processor have an unknown outcome',
    action: 'Read its status page. Platter retries unknown outcomes.',
    section: 'Payment processor',
  },
  {
    alert: 'PlatterOrdersFail',
    expr: `sum(rate(${selector('platter.saga.duration', { 'platter.saga.outcome': 'failed' }, 'count')}[15m])) / sum(rate(${selector('platter.saga.duration', {}, 'count')}[15m])) > 0.3`,
    for: '15m',
    severity: 'ticket',
    summary: '{{ $value | humanizePercentage }} of the orders fail',
    action: 'Restaurants refuse them, or cards are declined: the dashboard shows which.',
    section: 'Failing or undecided orders',
  },
  {
    alert: 'PlatterServerErrors',
    expr: `${share(requests(/5../), requests())} > 0.01`,
    for: '5m',
    severity: 'page',
    summary: '{{ $value | humanizePercentage }} of the responses are 5xx',
    action: 'Read /health/ready of the services, which reports the dependency.',
    section: 'Missing services',
  },
  {
    alert: 'PlatterOrdersUndecided',
    expr: `histogram_quantile(0.99, sum by (le) (rate(${selector('http.server.request.duration', { job: 'platter/gateway', 'http.route': SEND_ORDER }, 'bucket')}[5m]))) > 8`,
    for: '5m',
    severity: 'page',
    summary: 'Send-order takes {{ $value | humanizeDuration }} (p99)',
    action: 'Restaurants or the payment processor respond late.',
    section: 'Failing or undecided orders',
  },
  {
    alert: 'PlatterPoolExhausted',
    expr: `min_over_time((max by (job) (${selector('db.client.connection.pending_requests')}))[5m:]) > 0`,
    for: '5m',
    severity: 'ticket',
    summary: 'Statements of {{ $labels.job }} wait for a connection',
    action: 'Find slow statements before you increase DATABASE_POOL.',
    section: 'Saturation',
  },
  {
    alert: 'PlatterPermitsExhausted',
    expr: `max by (job, ${limit}) (${selector('platter.permits.in_use')} / ${selector('platter.permits.limit')}) > 0.9`,
    for: '5m',
    severity: 'ticket',
    summary: `{{ $labels.job }} uses {{ $value | humanizePercentage }} of the permits of {{ $labels.${limit} }}`,
    action: 'Add replicas: further requests are rejected soon.',
    section: 'Saturation',
  },
  {
    alert: 'PlatterEventLoopSlow',
    expr: `max by (job, instance) (${selector('nodejs.eventloop.delay.p99')}) > 0.25`,
    for: '5m',
    severity: 'ticket',
    summary: 'The event loop of {{ $labels.job }} is {{ $value | humanizeDuration }} late (p99)',
    action: 'Add replicas, or look for other work on its core.',
    section: 'Saturation',
  },
  {
    alert: 'PlatterHeapFull',
    expr: `max by (job, instance) (${selector('v8js.memory.heap.used')} / ${selector('v8js.memory.heap.limit')}) > 0.85`,
    for: '10m',
    severity: 'ticket',
    summary: '{{ $labels.job }} uses {{ $value | humanizePercentage }} of its heap',
    action: 'Read its log, and report it with a heap snapshot.',
    section: 'Saturation',
  },
  {
    alert: 'PlatterServiceMissing',
    expr: ['gateway', 'catalog', 'accounts', 'orders', 'payments']
      .map((service) => `absent(${selector('process.memory.usage', { job: `platter/${service}` })})`)
      .join(' or '),
    for: '5m',
    severity: 'page',
    summary: 'No metrics arrive from {{ $labels.job }}',
    action: 'Check that it runs, and its log.',
    section: 'Missing services',
  },
]

const anchorOf = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-')

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns a file of rules for Prometheus, as YAML. */
export const alertRules = (): string =>
  [
    '# Generated from the metrics in packages/kit/src/telemetry/metric-catalog.ts by `npm run docs`. Do not edit.',
    'groups:',
    '  - name: platter',
    '    rules:',
    ...rules.flatMap((rule) => [
      `      - alert: ${rule.alert}`,
      `        expr: ${quoted(rule.expr)}`,
      `        for: ${rule.for}`,
      `        labels: { severity: ${rule.severity} }`,
      '        annotations:',
      `          summary: ${quoted(rule.summary)}`,
      `          description: ${quoted(rule.action)}`,
      `          runbook_url: ${quoted(`docs/operations.md#${anchorOf(rule.section)}`)}`,
    ]),
    '',
  ].join('\n')
