import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
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

/** Reads a prompt while a pipe stays open, and returns what drover says meanwhile. */
async function waitForPipe({ isTty, ms }: { isTty: boolean; ms: number }): Promise<string[]> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  let endPipe: (bytes: Buffer) => void = () => {}
  const pipe = new Promise<Buffer>((resolve) => {
    endPipe = resolve
  })
  const err = { isTty, write: async (text: string) => void written.push(text) }
  const stdin = { isTty: false, isPiped: () => true, readUnlessSilent: () => pipe }
  const flags = { isOn: () => false, text: () => undefined, texts: () => [] }
  const runtime = { cwd: '/', stdin, terminal: { err } }
  const reading = readPrompt({ args: ['p'], flags, runtime } as unknown as Invocation)
  await vi.advanceTimersByTimeAsync(ms)
  endPipe(Buffer.from('x'))
  expect(await reading).toContain('Content of standard input:')
  return written
}

describe('readPrompt', () => {
  it.each([
    ['a terminal', true, 1999, 0],
    ['a terminal', true, 2000, 1],
    ['a log', false, 29_999, 0],
    ['a log', false, 30_000, 1],
    ['a log', false, 600_000, 1],
  ])('says on %s (%s) that it waits for an open pipe, after %i ms %i times', async (_name, isTty, ms, times) => {
    const written = await waitForPipe({ isTty, ms })
    expect(written).toEqual(Array.from({ length: times }, () => expect.stringMatching(/waiting for .*--no-stdin/)))
  })

  it('accepts a prompt at the limit together with its files, and refuses one byte more', async () => {
    expect(await read(['x'.repeat(LIMIT - FRAME_BYTES)])).toHaveLength(LIMIT)
    await expect(read(['x'.repeat(LIMIT - FRAME_BYTES + 1)])).rejects.toMatchObject({ code: 'added_input_too_large' })
  })

  it('refuses files that are only together too large', async () => {
    const half = 'x'.repeat(LIMIT / 2)
    await expect(read([half, half])).rejects.toMatchObject({ code: 'added_input_too_large' })
  })
})
