import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineFault, type Fault } from '../kit/fault.ts'
import type { Runtime } from './command.ts'
import { inputTooLarge } from './faults.ts'
import { type Input, readInput } from './read-input.ts'

const cwd = mkdtempSync(join(tmpdir(), 'drover-input-'))
writeFileSync(join(cwd, 'ten'), '0123456789')
symlinkSync('ten', join(cwd, 'link'))

const unavailable = defineFault('a', 'usage', { when: '', message: (d: { problem: string }) => d.problem })
const tooLarge = defineFault('b', 'usage', { when: '', message: (size: number) => `${size} bytes` })
const interrupted = defineFault('c', 'usage', { when: '', message: () => 'interrupted' })

type StandardInput = { isTty?: boolean; read?: (limitBytes: number) => Promise<Buffer> }

function read(
  input: Omit<Input, 'runtime' | 'limitBytes'>,
  { isTty = false, read = async () => Buffer.of() }: StandardInput = {},
) {
  const written: string[] = []
  const runtime = {
    cwd,
    stdin: { isTty, read },
    terminal: { err: { write: async (text: string) => written.push(text) } },
  } as unknown as Runtime
  return { written, bytes: readInput({ limitBytes: 9, ...input, runtime }) }
}

const codeOf = (reading: { bytes: Promise<unknown> }) => reading.bytes.then(String, (fault: Fault) => fault.code)

describe('reading input', () => {
  it('reads a file, or standard input when no file is named', async () => {
    writeFileSync(join(cwd, 'two'), 'ab')
    expect(String(await read({ file: 'two' }).bytes)).toBe('ab')
    expect(String(await read({ file: undefined }, { read: async () => Buffer.from('cd') }).bytes)).toBe('cd')
  })

  it('tells a user at a terminal how to end standard input', async () => {
    const reading = read({ file: undefined }, { isTty: true })
    await reading.bytes
    expect(reading.written.join('')).toContain('Ctrl-D')
    expect(read({ file: 'two' }, { isTty: true }).written).toEqual([])
  })

  it.each<[string, Omit<Input, 'runtime' | 'limitBytes'>, string]>([
    ['a missing file', { file: 'none' }, 'file_missing'],
    ['a missing file, with a fault of the command', { file: 'none', unavailable }, 'a'],
    ['a link', { file: 'link' }, 'file_not_regular'],
    ['a link that may be followed', { file: 'link', links: 'follow' }, 'file_too_large'],
    ['a large file', { file: 'ten' }, 'file_too_large'],
    ['a large file, with one fault of the command', { file: 'ten', unavailable }, 'a'],
    ['a large file, with both faults of the command', { file: 'ten', unavailable, tooLarge }, 'b'],
  ])('refuses %s', async (_name, input, code) => {
    expect(await codeOf(read(input))).toBe(code)
  })

  it('gives the size of a file, and one byte over the limit for standard input', async () => {
    await expect(read({ file: 'ten', tooLarge }).bytes).rejects.toThrow('10 bytes')
    const large = async (limitBytes: number) => Promise.reject(inputTooLarge({ limitBytes }))
    await expect(read({ file: undefined, tooLarge }, { read: large }).bytes).rejects.toThrow('10 bytes')
  })

  it('reports an aborted signal as an interruption', async () => {
    const signal = AbortSignal.abort()
    const failing = async () => Promise.reject(new Error('aborted'))
    expect(await codeOf(read({ file: undefined, signal, interrupted }, { read: failing }))).toBe('c')
  })
})
