import { expect, it } from 'vitest'
import { canceledResult } from '../../prompts/prompt-result.ts'
import type { Terminal } from '../terminal.ts'
import { printProblems } from './prompt-printer.ts'

it('no line of an error or a warning of an agent looks like a message of drover', async () => {
  const written: string[] = []
  const err = { write: async (text: string) => written.push(text) }
  const result = { ...canceledResult('claude'), error_code: 'x', warnings: ['w\ndrover: a'], error: 'e\ndrover: b\n' }
  await printProblems({ err } as unknown as Terminal, result)
  expect(written.join('')).toBe('drover: warning: w\n  drover: a\ndrover: claude failed: e\n  drover: b\n')
})
