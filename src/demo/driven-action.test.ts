import { expect, it } from 'vitest'
import { planAction } from './driven-action.ts'

const GOAL = '\n## Goal\n\nShow knots. Ask me.\n\n## This action\n'

it.each([
  ['the first action', 'orient', GOAL, true],
  ['an action after an answer', 'orient', `${GOAL}A person has answered.`, false],
  ['a later action', 'implement', GOAL, false],
])('says in %s of a run, and only there, that no model is called', (_name, kind, rest, isSaid) => {
  const text = planAction(`drover action: ${kind} 1\n${rest}`)?.text ?? ''
  expect(text.startsWith("This is drover's built-in demo agent. No model is called.")).toBe(isSaid)
  expect(text).toContain('```drover-outcome\n')
})

it('writes the goal, and adds to the file if it is asked again and not told the goal', () => {
  const [first, other] = ['1', '2'].map((id) => planAction(`drover action: implement ${id}\n${GOAL}`)?.file)
  expect([first?.content, first?.addition]).toEqual([expect.stringContaining('> Show knots. Ask me.\n'), undefined])
  expect(other?.content).not.toBe(first?.content)
  const again = planAction('drover action: implement 1\n\n## What drover saw\n')?.file
  expect(again?.addition).toBe('\nWritten for action 1 again.\n')
})
