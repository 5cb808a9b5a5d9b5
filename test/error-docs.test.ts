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

describe('the catalogue of faults', () => {
  it('is found', () => {
    expect(catalogues.map(({ folder }) => folder)).toEqual(expect.arrayContaining(['cli', 'config', 'kit']))
    expect(codes.length).toBeGreaterThan(20)
  })

  it('has no code twice', () => {
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([])
  })

  it('has codes in lowercase with underscores', () => {
    expect(codes.filter((code) => !/^[a-z][a-z0-9_]*$/.test(code))).toEqual([])
  })

  it('says of each fault when it happens, in one sentence', () => {
    expect(faults.filter(({ when }) => !/^[A-Z].*[^.]\.$/.test(when)).map(({ code }) => code)).toEqual([])
  })

  it('is documented whole in docs/errors.md', () => {
    expect(codes.filter((code) => !documented.some(([, name]) => name === code))).toEqual([])
  })

  it('holds everything that docs/errors.md documents', () => {
    expect(documented.map(([, name]) => name).filter((name) => !codes.includes(name ?? ''))).toEqual([])
  })
})
