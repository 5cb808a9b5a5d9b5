import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gatherFaults } from '../scripts/fault-catalogue.ts'

const catalogues = await gatherFaults()
const faults = catalogues.flatMap((catalogue) => catalogue.faults)
const codes = faults.map((fault) => fault.code)
const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8')
const documented = [
  ...(page
    .split('## Kinds')[1]
    ?.split('\n## ')
    .slice(1)
    .join('\n')
    .matchAll(/^\| `([^`]+)`/gm) ?? []),
]

describe('the faults of all folders', () => {
  it('are found', () => {
    expect(catalogues.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['cli', 'config', 'kit']))
    expect(codes.length).toBeGreaterThan(20)
  })

  it('have unique codes', () => {
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
  })

  it('have codes in lowercase with underscores', () => {
    expect(codes.filter((code) => !/^[a-z][a-z0-9_]*$/.test(code))).toEqual([])
  })

  it('are described in one sentence each', () => {
    expect(faults.filter(({ when }) => !/^[A-Z].*[^.]\.$/.test(when)).map(({ code }) => code)).toEqual([])
  })

  it('are all documented in docs/errors.md', () => {
    expect(codes.filter((code) => !documented.some(([, name]) => name === code))).toEqual([])
  })

  it('include everything that docs/errors.md documents', () => {
    expect(documented.map(([, name]) => name).filter((name) => !codes.includes(name ?? ''))).toEqual([])
  })
})
