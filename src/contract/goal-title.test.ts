import { describe, expect, it } from 'vitest'
import { titleOfGoal } from './goal-title.ts'

describe('the title of a goal', () => {
  it.each([
    ['one line', 'Show the wind in knots', 'Show the wind in knots'],
    ['a document', '\n# Show the wind in knots\n\nPilots read knots.\n', 'Show the wind in knots'],
    ['Windows line ends', '## Show it\r\nNow.', 'Show it'],
    ['a rule first', '---\nShow it', 'Show it'],
    ['a number sign that is no heading', '#7 is broken', '#7 is broken'],
    ['control characters', 'Show\u0007it\tnow', 'Show it now'],
    ['no words', '\n!!!\n', '!!!'],
    ['nothing', '', ''],
  ])('with %s', (_name, goal, title) => {
    expect(titleOfGoal(goal)).toBe(title)
  })
})
