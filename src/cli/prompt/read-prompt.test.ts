import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Invocation } from '../command.ts'
import { readPrompt } from './read-prompt.ts'

const LIMIT = 16 * 1024 * 1024
/** What drover writes around one attached file. */
const FRAME_BYTES = 'p\n\nContent of the file "half":\n```\n\n```'.length

function read(attached: readonly string[]): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-attach-'))
  const names = attached.map((_, at) => (at === 0 ? 'half' : `half${at}`))
  for (const [at, text] of attached.entries()) writeFileSync(join(cwd, names[at] ?? ''), text)
  const flags = {
    isOn: () => false,
    text: () => undefined,
    texts: () => names,
  }
  const runtime = { cwd, stdin: { isPiped: () => false } }
  return readPrompt({ args: ['p'], flags, runtime } as unknown as Invocation)
}

describe('readPrompt', () => {
  it('accepts a prompt at the limit together with its files, and refuses one byte more', async () => {
    expect(await read(['x'.repeat(LIMIT - FRAME_BYTES)])).toHaveLength(LIMIT)
    await expect(read(['x'.repeat(LIMIT - FRAME_BYTES + 1)])).rejects.toMatchObject({ code: 'added_input_too_large' })
  })

  it('refuses files that are only together too large', async () => {
    const half = 'x'.repeat(LIMIT / 2)
    await expect(read([half, half])).rejects.toMatchObject({ code: 'added_input_too_large' })
  })
})
