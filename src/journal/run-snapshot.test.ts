import { describe, expect, it } from 'vitest'
import { boundHistory, type Step } from '../../test/support/journal-fixture.ts'
import type { Run } from '../engine/state/run.ts'
import { digest } from '../kit/digest.ts'
import { decodeSnapshot, encodeSnapshot, type RunSnapshot, type SnapshotKey } from './run-snapshot.ts'

const HISTORY = boundHistory()
const stamp = { dev: 64_768n, ino: 2n ** 63n, size: 4096n, mtimeNs: 1_769_853_600_000_000_001n, ctimeNs: 2n ** 60n }
const key: SnapshotKey = { version: '1.0.0', stamp }
const end = { sequence: 5, chain: digest('the last record') }
const snapshot: RunSnapshot = { run: (HISTORY.at(-1) as Step).run, end }
const FILE = encodeSnapshot(snapshot, key)

const decodeText = (text: string) => decodeSnapshot(Buffer.from(text), key)

describe('a snapshot', () => {
  it.each(HISTORY.map((step, index) => [index, step] as const))('restores the run of step %i', (_index, { run }) => {
    expect(decodeSnapshot(encodeSnapshot({ run, end }, key), key)).toStrictEqual({ run, end })
  })

  it('restores integers past 2^53', () => {
    const { run } = snapshot
    const [path] = run.initial_git.path_observations
    const wide = { ...path, modified_unix_nano: 2n ** 62n + 1n }
    const changed = { ...run, current_git: { ...run.current_git, path_observations: [wide] } } as Run
    expect(decodeSnapshot(encodeSnapshot({ run: changed, end }, key), key)?.run).toStrictEqual(changed)
  })

  it('has three lines, of which the first describes the journal', () => {
    const [header = '', ...rest] = FILE.toString().split('\n')
    expect(JSON.parse(header)).toEqual({
      format: 'drover-run/v1',
      version: '1.0.0',
      dev: '64768',
      ino: '9223372036854775808',
      size: '4096',
      mtime_ns: '1769853600000000001',
      ctime_ns: '1152921504606846976',
      ...end,
      sha256: expect.stringMatching(/^sha256:/),
    })
    expect(rest).toHaveLength(3)
    expect(rest.at(-1)).toBe('')
  })

  it.each<[string, Partial<SnapshotKey['stamp']>]>([
    ['on another device', { dev: 1n }],
    ['of another inode', { ino: 1n }],
    ['of another size', { size: 4097n }],
    ['modified at another time', { mtimeNs: stamp.mtimeNs + 1n }],
    ['whose status changed at another time', { ctimeNs: stamp.ctimeNs + 1n }],
  ])('is ignored for a journal %s', (_what, change) => {
    expect(decodeSnapshot(FILE, { ...key, stamp: { ...stamp, ...change } })).toBeUndefined()
  })

  it('is ignored by another version of drover', () => {
    expect(decodeSnapshot(FILE, { ...key, version: '1.0.1' })).toBeUndefined()
  })

  it('is ignored if any byte has a flipped bit', () => {
    const read = Array.from(FILE.keys()).filter((at) => {
      const flipped = Buffer.from(FILE.with(at, (FILE[at] ?? 0) ^ (1 << (at % 8))))
      return decodeSnapshot(flipped, key) !== undefined
    })
    expect(read).toEqual([])
  })

  it('is ignored if it is cut anywhere or has more bytes', () => {
    const lengths = Array.from(FILE.keys())
    expect(lengths.filter((length) => decodeSnapshot(FILE.subarray(0, length), key))).toEqual([])
    expect(decodeText(`${FILE}\n`)).toBeUndefined()
  })

  it.each([
    ['of zeros', '\0'.repeat(4096)],
    ['of line feeds', '\n\n\n'],
    ['with another format', `${FILE}`.replace('drover-run/v1', 'drover-run/v2')],
    ['with another sequence', `${FILE}`.replace('"sequence":5', '"sequence":05')],
    ['with an invalid chain', `${FILE}`.replace(end.chain, 'sha256:0')],
  ])('is ignored if it is a text %s', (_what, text) => {
    expect(decodeText(text)).toBeUndefined()
  })
})
