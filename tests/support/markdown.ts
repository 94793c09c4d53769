/** Returns a table in the layout of the formatter, because generated tables are in the repository. */
export function markdownTable(
  columns: readonly string[],
  lines: readonly (readonly (string | number)[])[],
): string {
  const cells = [columns, ...lines].map((line) => line.map(String))
  const widths = columns.map((_, at) => Math.max(3, ...cells.map((line) => line[at]?.length ?? 0)))
  const write = (line: readonly string[]) =>
    `| ${widths.map((width, at) => (line[at] ?? '').padEnd(width)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [write(head), write(widths.map((width) => '-'.repeat(width))), ...body.map(write)].join('\n')
}
