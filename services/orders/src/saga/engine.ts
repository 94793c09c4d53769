import type { Command, Outcome, Refusal } from '@platter/contracts'
import type { Change, State } from '#/domain/saga-row.ts'

/** A command of a step, without the reference that the engine adds (order, step, version, attempt). */
export type Say = { command: Command; data: Record<string, unknown> }

type Part<F> = {
  name: string
  when?: (facts: F) => boolean
  do: (facts: F) => Say
  done?: Change
  patienceMs?: number
}

/**
 * `undoable` before the pivot: a refusal there, or at the pivot, undoes what was done. `certain` after it:
 * said again until it is done.
 */
export type Step<F> =
  | (Part<F> & { kind: 'undoable'; undo: (facts: F) => Say; undone?: Change })
  | (Part<F> & { kind: 'pivot' })
  | (Part<F> & { kind: 'certain' })

export type Saga<F> = readonly Step<F>[]

export const undoable = <F>(
  name: string,
  step: Omit<Extract<Step<F>, { kind: 'undoable' }>, 'name' | 'kind'>,
): Step<F> => ({
  kind: 'undoable',
  name,
  ...step,
})
export const pivot = <F>(name: string, step: Omit<Part<F>, 'name'>): Step<F> => ({
  kind: 'pivot',
  name,
  ...step,
})
export const certain = <F>(name: string, step: Omit<Part<F>, 'name'>): Step<F> => ({
  kind: 'certain',
  name,
  ...step,
})

/** Checks the order of the steps once, when the module loads: undoable ones, one pivot, certain ones. */
export function saga<F>(steps: Saga<F>): Saga<F> {
  const kinds = steps.map(({ kind }) => kind).join(' ')
  if (!/^(undoable )*pivot( certain)*$/.test(kinds)) throw new Error(`not a saga: ${kinds}`)
  return steps
}

/** What is to be said or decided next: a pure function of the facts and the state. */
export type Next<F> =
  | { kind: 'do' | 'undo'; step: Step<F>; say: Say; patienceMs: number }
  | { kind: 'completed' }
  | { kind: 'failed'; refusal: Refusal }

/** How long an answer may take before the command is said again, unless the step says otherwise. */
const PATIENCE_MS = 5_000

export function next<F>(steps: Saga<F>, facts: F, state: State): Next<F> {
  const taken = steps.filter((step) => step.when?.(facts) ?? true)
  return state.refusal ? backward(taken, facts, state, state.refusal) : forward(taken, facts, state)
}

function forward<F>(taken: Saga<F>, facts: F, state: State): Next<F> {
  const step = taken.find(({ name }) => !state.done.includes(name))
  if (!step) return { kind: 'completed' }
  return { kind: 'do', step, say: step.do(facts), patienceMs: step.patienceMs ?? PATIENCE_MS }
}

/** Undoes, last first, what is done; and what was said last and may be done, for nobody knows. */
function backward<F>(taken: Saga<F>, facts: F, state: State, refusal: Refusal): Next<F> {
  const step = taken.findLast(
    ({ name, kind }) => kind === 'undoable' && state.done.includes(name) && !state.undone.includes(name),
  )
  if (step?.kind !== 'undoable') return { kind: 'failed', refusal }
  return { kind: 'undo', step, say: step.undo(facts), patienceMs: step.patienceMs ?? PATIENCE_MS }
}

/** The state after an answer, and what changes on the order; null when the answer is not to what was said last. */
export function heard<F>(
  steps: Saga<F>,
  facts: F,
  state: State,
  answer: { step: string; undo: boolean; outcome: Outcome },
): { state: State; change: Change } | null {
  const awaited = next(steps, facts, state)
  if (awaited.kind !== (answer.undo ? 'undo' : 'do') || awaited.step.name !== answer.step) return null
  const { step } = awaited
  if (answer.outcome.kind === 'done') {
    if (awaited.kind === 'do')
      return { state: { ...state, done: [...state.done, step.name] }, change: step.done ?? {} }
    const { paymentState } = answer.outcome
    const undone = { ...(step.kind === 'undoable' && step.undone), ...(paymentState && { paymentState }) }
    return { state: { ...state, undone: [...state.undone, step.name] }, change: undone }
  }
  // An undo and what comes after the pivot are certain: no refusal ends them, they are said again.
  if (awaited.kind === 'undo' || step.kind === 'certain') return null
  return { state: { ...state, refusal: answer.outcome.refusal }, change: {} }
}

/**
 * The state when time is up. Before the pivot is said, the saga goes back, and takes the step whose answer
 * is missing for done, so that it is undone as well. From the pivot on there is no giving up: null.
 */
export function givenUp<F>(steps: Saga<F>, facts: F, state: State, refusal: Refusal): State | null {
  const awaited = next(steps, facts, state)
  if (awaited.kind !== 'do' || awaited.step.kind !== 'undoable') return null
  return { ...state, done: [...state.done, awaited.step.name], refusal }
}
