import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CAN_DROP_PRIVILEGES, evaluateUnprivileged } from '../../../test/support/unprivileged.ts'
import { isLeftover, removeLeftovers, temporaryName } from './temporary-file.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const HERE = `${'a'.repeat(32)}.4026531836`
const ELSEWHERE = `${'b'.repeat(32)}.4026531836`
const RANDOM = '0123456789abcdef'

describe('isLeftover', () => {
  it.each([
    ['a dead process of this place', { place: HERE, alive: false, ageMs: 0 }, true],
    ['a living process of this place, however old', { place: HERE, alive: true, ageMs: 9 * DAY_MS }, false],
    ['a process of another place, a day old', { place: ELSEWHERE, alive: false, ageMs: DAY_MS }, false],
    ['a process of another place, more than a day old', { place: ELSEWHERE, alive: true, ageMs: DAY_MS + 1 }, true],
  ])('classifies the file of %s', (_, { place, alive, ageMs }, expected) => {
    const name = `.drover-tmp-${place}-7-${RANDOM}`
    expect(isLeftover({ name, ageMs, here: HERE, isAlive: (pid) => pid === 7 && alive })).toBe(expected)
  })

  it.each([
    [DAY_MS, false],
    [DAY_MS + 1, true],
  ])('uses only the age if the scope of a pid is unknown (%d ms)', (ageMs, expected) => {
    const name = `.drover-tmp-unknown-7-${RANDOM}`
    expect(isLeftover({ name, ageMs, here: 'unknown', isAlive: () => false })).toBe(expected)
  })

  it.each([
    'config.yaml',
    '.drover-tmp-',
    `drover-tmp-${HERE}-7-${RANDOM}`,
    `.drover-tmp-${HERE}-7-${RANDOM}.bak`,
    `.drover-tmp-${HERE}--${RANDOM}`,
    `.drover-tmp-${HERE}-7-0123`,
  ])('does not match %s', (name) => {
    expect(isLeftover({ name, ageMs: 9 * DAY_MS, here: HERE, isAlive: () => false })).toBe(false)
  })
})

describe('removeLeftovers', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'drover-leftovers-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** The name a process would use that has ended meanwhile. */
  const nameOfTheDead = () => {
    const { pid } = spawnSync(process.execPath, ['--version'])
    return temporaryName().replace(`-${process.pid}-`, `-${pid}-`)
  }

  it('removes only files of dead processes', () => {
    const [dead, own] = [nameOfTheDead(), temporaryName()]
    for (const name of [dead, own, 'config.yaml']) writeFileSync(join(folder, name), '')
    expect(removeLeftovers(folder)).toEqual([dead])
    expect(readdirSync(folder).toSorted()).toEqual([own, 'config.yaml'])
  })

  it.skipIf(!CAN_DROP_PRIVILEGES)('keeps the file of a living process of another user', () => {
    chmodSync(folder, 0o777)
    const code = `
      import { writeFileSync } from 'node:fs'
      writeFileSync('${folder}/' + module.temporaryName().replace('-' + process.pid + '-', '-1-'), '')
      const result = module.removeLeftovers('${folder}')`
    expect(evaluateUnprivileged(import.meta.resolve('./temporary-file.ts'), code)).toEqual([])
    expect(readdirSync(folder)).toHaveLength(1)
  })

  it('removes old files from another scope', () => {
    const old = `.drover-tmp-${ELSEWHERE}-7-${RANDOM}`
    const young = old.replace('-7-', '-8-')
    for (const name of [old, young]) writeFileSync(join(folder, name), '')
    utimesSync(join(folder, old), 0, 0)
    expect(removeLeftovers(folder)).toEqual([old])
    expect(readdirSync(folder)).toEqual([young])
  })

  it('removes a directory with its content', () => {
    const dead = nameOfTheDead()
    mkdirSync(join(folder, dead, 'materials'), { recursive: true })
    expect(removeLeftovers(folder)).toEqual([dead])
    expect(readdirSync(folder)).toEqual([])
  })

  it('removes a link, not its target', () => {
    mkdirSync(join(folder, 'target'))
    const dead = nameOfTheDead()
    symlinkSync(join(folder, 'target'), join(folder, dead))
    expect(removeLeftovers(folder)).toEqual([dead])
    expect(readdirSync(folder)).toEqual(['target'])
  })

  it.skipIf(process.getuid?.() !== 0)('leaves what belongs to another user', () => {
    const dead = nameOfTheDead()
    mkdirSync(join(folder, dead))
    lchownSync(join(folder, dead), 12_345, 12_345)
    expect(removeLeftovers(folder)).toEqual([])
    expect(readdirSync(folder)).toEqual([dead])
  })

  it('ignores a directory that it cannot read', () => {
    expect(removeLeftovers(join(folder, 'missing'))).toEqual([])
  })
})

describe('temporaryName', () => {
  it('differs every time', () => {
    expect(temporaryName()).not.toBe(temporaryName())
  })
})
