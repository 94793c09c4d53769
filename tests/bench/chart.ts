import type { Row } from './measure.ts'

/* One chart: CPU of an operation by process, each operation beside its limits. SVG by hand: bars need no library. */

const colours: Readonly<Record<string, string>> = {
  gateway: '#4e79a7',
  catalog: '#59a14f',
  accounts: '#9c755f',
  orders: '#e15759',
  payments: '#b07aa1',
  postgres: '#336791',
  rabbitmq: '#ff6600',
  redis: '#edc948',
  nginx: '#76b7b2',
  fastify: '#a0a0a0',
  writer: '#8888aa',
  hopper: '#aa8866',
  caller: '#7f9fb0',
  answerer: '#b0b07f',
}
const LABELS = 220
const BARS = 560
const LINE = 22

/** `rows` from top to bottom, each in groups: an operation and what it is held against share a scale. */
export function chart(groups: readonly (readonly Row[])[], clients: number): string {
  const lines = groups.reduce((sum, rows) => sum + rows.length + 0.5, 0)
  const height = Math.round(lines * LINE) + 70
  const used = [...new Set(groups.flat().flatMap(({ byProcess }) => Object.keys(byProcess)))].filter(isDrawn)
  let y = 50
  const bars = groups.flatMap((rows) => {
    const largest = Math.max(...rows.map(({ cpu }) => cpu))
    const drawn = rows.map((row, at) => bar(row, y + at * LINE, BARS / largest))
    y += (rows.length + 0.5) * LINE
    return drawn
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${LABELS + BARS + 90}" height="${height}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(
      10,
      18,
      `CPU of one operation by process, ms, ${clients} clients; each group has a scale of its own`,
      'bold',
    ),
    ...used.map((name, at) => key(name, at)),
    ...bars,
    '</svg>\n',
  ].join('\n')
}

const isDrawn = (name: string) => name in colours

const key = (name: string, at: number) =>
  `<rect x="${10 + at * 68}" y="28" width="10" height="10" fill="${colours[name]}"/>${text(23 + at * 68, 37, name)}`

function bar({ subject, kind, byProcess, cpu }: Row, y: number, scale: number): string {
  let x = LABELS
  const parts = Object.entries(byProcess)
    .filter(([name]) => isDrawn(name))
    .map(([name, ms]) => {
      const from = x
      x += ms * scale
      return `<rect x="${from.toFixed(1)}" y="${y}" width="${(ms * scale).toFixed(1)}" height="15" fill="${colours[name]}"><title>${name} ${ms.toFixed(3)} ms</title></rect>`
    })
  const label = text(10, y + 12, escape(subject), kind === 'operation' ? 'bold' : 'normal')
  return [label, ...parts, text(x + 5, y + 12, cpu.toFixed(3))].join('')
}

const text = (x: number, y: number, content: string, weight = 'normal') =>
  `<text x="${x.toFixed(1)}" y="${y}" font-weight="${weight}" fill="#222">${content}</text>`

const escape = (content: string) =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
