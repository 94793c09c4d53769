import type { Command } from 'commander'
import { addCommand, type Shared } from '#/command.ts'
import { gatherFacts } from '#/doctor/facts.ts'
import { findingsOf, type Finding } from '#/doctor/findings.ts'
import { EXIT } from '#/exit.ts'
import { print, printJson, style, table } from '#/output.ts'
import { findTarget } from '#/target.ts'

export function doctor(program: Command): void {
  addCommand(program, 'doctor', {
    summary: 'examine the installation; exit code 1 when something is wrong',
    examples: ['doctor', 'doctor --json | jq -r ".[] | select(.state == \\"wrong\\") | .remedy"'],
  }).action(async (options: Shared) => {
    const findings = findingsOf(await gatherFacts(findTarget(options)))
    const bad = findings.filter(({ state }) => state !== 'ok')
    process.exitCode = bad.length === 0 ? EXIT.ok : EXIT.refused
    if (options.json) return printJson(findings)
    show(findings, bad)
  })
}

function show(findings: readonly Finding[], bad: readonly Finding[]): void {
  table(
    ['check', 'state', 'finding'],
    findings.map(({ check, state, detail }) => [check, state, detail]),
  )
  print()
  if (bad.length === 0) return print(style('green', 'Nothing is wrong.'))
  // The checks that follow from an unavailable service share one remedy. What is wrong comes first.
  const wrongFirst = bad.toSorted(
    (one, other) => Number(one.state !== 'wrong') - Number(other.state !== 'wrong'),
  )
  for (const [remedy, group] of Map.groupBy(wrongFirst, (one) => one.remedy))
    print(style('bold', group.map(({ check }) => check).join(', ')), `: ${remedy}`)
}
