import { describe, expect, it } from 'vitest'
import { firstHeading } from './first-heading.ts'

describe('the first heading', () => {
  it.each([
    ['# Wind', 'Wind'],
    ['   ###### Wind ##  ', 'Wind'],
    ['#\tWind\t#', 'Wind'],
    ['# C#', 'C#'],
    ['# C# #', 'C#'],
    ['## ##', ''],
    ['#', ''],
    ['text\n# Wind\n# Rain', 'Wind'],
    ['```sh\n# a comment\n```\n## Wind', 'Wind'],
    ['> ~~~\n> # a comment\n> ~~~\n\n# Wind', 'Wind'],
    ['Wind\n====', 'Wind'],
    ['Wind\n  -  ', 'Wind'],
    ['Wind\nand rain \n---', 'Wind and rain'],
    ['***\nWind\n---', 'Wind'],
    ['- item\n---\nWind\n---', 'Wind'],
    ['    code\nWind\n---', 'Wind'],
    ['text\n\nWind\n    in knots\n---', 'Wind in knots'],
  ])('of %j is %j', (text, heading) => {
    expect(firstHeading(text)).toBe(heading)
  })

  it.each([
    '',
    '#wind',
    '####### Wind',
    '    # Wind',
    '~~~\n# Wind',
    '---\n---',
    'Wind\n\n---',
    'Wind\n- item\n---',
    '> Wind\n---',
    '- Wind\n===',
    '    code\n---',
    '```\nWind\n```\n---',
    'Wind\n```\n---\n```',
    'Wind\n=-=',
  ])('is not in %j', (text) => {
    expect(firstHeading(text)).toBeUndefined()
  })
})
