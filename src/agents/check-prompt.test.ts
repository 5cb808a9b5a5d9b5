import { describe, expect, it } from 'vitest'
import { checkPrompt } from './build-command.ts'

const MIB = 1024 * 1024
const faultWith = (code: string, details: object) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) })

describe('checkPrompt', () => {
  it.each(['', ' ', '\n\t', '\u00a0\ufeff'])('refuses the empty prompt %j', (prompt) => {
    expect(() => checkPrompt(prompt, 'claude')).toThrow(faultWith('prompt_empty', { backend: 'claude' }))
  })

  it.each([
    ['a\0b', 'contains a NUL character'],
    ['a\ud800b', 'contains half a surrogate pair'],
  ])('refuses %j', (prompt, problem) => {
    expect(() => checkPrompt(prompt, 'claude')).toThrow(faultWith('prompt_not_text', { part: 'prompt', problem }))
  })

  it.each(['hello', '😀', '\u001b[31m'])('accepts %j', (prompt) => {
    expect(() => checkPrompt(prompt, 'claude')).not.toThrow()
  })

  it('counts characters for codex, whatever their size', () => {
    expect(() => checkPrompt('😀'.repeat(MIB), 'codex')).not.toThrow()
    expect(() => checkPrompt('é'.repeat(MIB + 1), 'codex')).toThrow(
      faultWith('prompt_too_large', { size: MIB + 1, limit: MIB, unit: 'characters' }),
    )
  })

  it('counts bytes for gemini', () => {
    expect(() => checkPrompt('é'.repeat(4 * MIB), 'gemini')).not.toThrow()
    expect(() => checkPrompt(`${'é'.repeat(4 * MIB)}x`, 'gemini')).toThrow(
      faultWith('prompt_too_large', { size: 8 * MIB + 1, limit: 8 * MIB, unit: 'bytes' }),
    )
  })

  it('counts nothing for claude', () => {
    expect(() => checkPrompt('x'.repeat(8 * MIB + 1), 'claude')).not.toThrow()
  })
})
