import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkReferences, FILLED_LIMIT_CHARACTERS, fillPrompt } from './run-chain.ts'

const step = (prompt: string, name?: string) => ({ backend: 'claude', prompt, ...(name !== undefined && { name }) })

describe('fillPrompt', () => {
  it.each([
    ['inserts the previous answer everywhere', '{{previous}} and {{previous}}', 'A and A'],
    ['inserts the answer of a named step', 'see {{steps.plan}}', 'see P'],
    ['ignores white space inside the braces', '{{ previous }} {{\tsteps.plan }}', 'A P'],
    ['accepts a name with spaces and dots', 'see {{steps.the 1.0 plan}}', 'see Q'],
    [
      'leaves the braces of other languages alone',
      '{{ .Values }} {{#if}} {previous}',
      '{{ .Values }} {{#if}} {previous}',
    ],
    ['leaves an unknown name as it is', '{{steps.other}}', '{{steps.other}}'],
  ])('%s', (_name, prompt, filled) => {
    const named = new Map([
      ['plan', 'P'],
      ['the 1.0 plan', 'Q'],
    ])
    expect(fillPrompt(prompt, { previous: 'A', named })).toBe(filled)
  })

  it('leaves {{previous}} as it is in the first step', () => {
    expect(fillPrompt('{{previous}}', { previous: undefined, named: new Map() })).toBe('{{previous}}')
  })

  it('inserts an answer literally', () => {
    fc.assert(
      fc.property(fc.string(), (answer) => {
        const previous = `${answer}{{previous}}{{steps.plan}}$&$1`
        const filled = fillPrompt('<{{previous}}|{{steps.plan}}>', { previous, named: new Map([['plan', previous]]) })
        expect(filled).toBe(`<${previous}|${previous}>`)
      }),
    )
  })
})

describe('a text that only begins like a placeholder', () => {
  it.each([
    ['with white space', `{{steps.${' '.repeat(2_000_000)}x`],
    ['with white space in front', `{{${' '.repeat(2_000_000)}x`],
    ['often', `{{steps.${' '.repeat(150)}`.repeat(10_000)],
  ])('stays as it is: %s', (_name, prompt) => {
    expect(fillPrompt(prompt, { previous: 'A', named: new Map() })).toBe(prompt)
    expect(() => checkReferences([step(prompt)])).not.toThrow()
  })
})

describe('a prompt that grows', () => {
  const fill = (length: number, rest: string) =>
    fillPrompt(`{{previous}}${rest}`, { previous: 'x'.repeat(length), named: new Map() }).length

  it('may be as long as the limit, and no longer', () => {
    expect(fill(FILLED_LIMIT_CHARACTERS - 1, '.')).toBe(FILLED_LIMIT_CHARACTERS)
    expect(() => fill(FILLED_LIMIT_CHARACTERS, '.')).toThrow(expect.objectContaining({ code: 'prompt_overfilled' }))
  })

  it('is refused before it fills the memory', () => {
    const many = '{{previous}}'.repeat(850_000)
    expect(() => fill(3000, many)).toThrow(expect.objectContaining({ code: 'prompt_overfilled' }))
  })
})

describe('checkReferences', () => {
  it.each([
    ['an earlier step', [step('a', 'plan'), step('{{steps.plan}}')]],
    ['{{previous}} in the first step', [step('{{previous}}')]],
    ['two steps of one name without a reference', [step('a', 'plan'), step('b', 'plan')]],
  ])('allows %s', (_name, steps) => {
    expect(() => checkReferences(steps)).not.toThrow()
  })

  it.each([
    [
      'a name of no step',
      [step('a'), step('{{steps.plan}}')],
      '$.steps[1].prompt {{steps.plan}} names no earlier step',
    ],
    ['a later step', [step('{{steps.b}}'), step('b', 'b')], '$.steps[0].prompt {{steps.b}} names no earlier step'],
    ['the step itself', [step('{{steps.a}}', 'a')], '$.steps[0].prompt'],
    ['a name of two steps', [step('a', 'x'), step('b', 'x'), step('{{steps.x}}')], '2 earlier steps have that name'],
    ['{{session}}', [step('a'), step('{{session}}')], '$.steps[1].prompt contains {{session}}'],
  ])('refuses %s', (_name, steps, problem) => {
    expect(() => checkReferences(steps)).toThrow(
      expect.objectContaining({ code: 'chain_invalid', message: expect.stringContaining(problem) }),
    )
  })
})
