import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readScript } from './script.ts'

const COUNTS = ['chunkMs', 'delayMs', 'retryAfterSecs', 'longLineBytes', 'lines']
const TEXTS = ['sessionId', 'permits', 'tool', 'stderr', 'plainText', 'replay', 'pidFile']
const SWITCHES = ['toolDenied', 'halfLine', 'retryForever', 'ignoreSigterm', 'ignoreSigint', 'forkDaemon']
const LISTS = ['text', 'garbageLines']
const POINTS = ['hangAfter', 'crashAfter']

const rows = (keys: string[], values: unknown[]) => keys.flatMap((key) => values.map((value) => [key, value] as const))

describe('readScript', () => {
  it.each([
    ...rows(COUNTS, [0, 10_485_760]),
    ...rows(TEXTS, ['', 'words']),
    ...rows(SWITCHES, [true, false]),
    ...rows(LISTS, [[], ['a', '']]),
    ...rows(POINTS, ['start', 'init', 'word', 'text']),
    ...rows(['fail'], [400, 401, 402, 403, 404, 429, 500, 503, 529]),
    ...rows(['exitCode'], [0, 255]),
    ...rows(['usage'], [{}, { input: 1, cached: 2, output: 3, reasoning: 4 }]),
  ])('accepts %s: %j', (key, value) => {
    expect(readScript(JSON.stringify({ [key]: value }))).toEqual({ script: { [key]: value } })
  })

  it.each([
    ...rows(COUNTS, [-1, 1.5, '1', null]),
    ...rows(TEXTS, [1, null, ['a']]),
    ...rows(SWITCHES, [1, 'true']),
    ...rows(LISTS, ['a', [1]]),
    ...rows(POINTS, ['end', 1]),
    ...rows(['fail'], [404, '500']),
    ...rows(['exitCode'], [-1, 256]),
    ...rows(['usage'], [1, null, { tokens: 1 }, { input: -1 }]),
  ])('refuses %s: %j and says what it must be', (key, value) => {
    expect(readScript(JSON.stringify({ [key]: value }))).toEqual({
      problem: expect.stringMatching(`^"${key}" must be (a|an|one|true) `),
    })
  })

  it.each(['', 'x', '[]', 'null', '1', '"text"', '{'])('refuses %j', (text) => {
    expect(readScript(text)).toEqual({ problem: 'it is not a JSON object' })
  })

  it.each(['hangOn', 'constructor', '__proto__'])('refuses the unknown key %s and lists the known ones', (key) => {
    expect(readScript(`{"${key}":1}`)).toEqual({
      problem: expect.stringMatching(`^unknown key "${key}".*text, chunkMs`),
    })
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readScript(text)))
  })
})
