import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gatherCodes, gatherFaults } from '../scripts/fault-catalogue.ts'

const ROOT = join(import.meta.dirname, '..')
const catalogues = await gatherFaults()
const faults = catalogues.flatMap((catalogue) => catalogue.faults)
const codes = faults.map((fault) => fault.code)
const all = await gatherCodes()
const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code = '']) => code)
const KINDS = new Set(faults.map(({ kind }) => kind as string))

/** Codes that are not of drover: of another program, or of the console in a browser. */
const OTHERS = ['rate_limit_exceeded', 'insufficient_quota', 'unreachable']

/** Codes in the source that are not of a fault that it throws: `error_code: 'canceled'`, `code: 'agent_failed'`. */
const written = globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
  .filter((file) => !/\.test\.tsx?$|\.shape\.ts$|generated|^src[\\/]demo/.test(file))
  .flatMap((file) => [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:\b(?:code|error_code|errorCode): |\bdefineFault(?:<[^>]*>)?\(\s*)'([a-z][a-z_]+)'/g,
    ),
  ])
  .map(([, code = '']) => code)
  .filter((code) => !OTHERS.includes(code))

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
})

describe('docs/errors.md', () => {
  it('has a row for every code of a fault and of a result', () => {
    expect(all.filter((code) => !rows.includes(code) && code !== 'invalid_request')).toEqual([])
  })

  it('explains the code that stands for others over HTTP', () => {
    expect(page).toContain('`invalid_request` (400) stands for `json_invalid` and `message_invalid`')
  })

  it('has every code that the source writes', () => {
    expect(written.length).toBeGreaterThan(codes.length - 1)
    expect(written.filter((code) => !all.includes(code))).toEqual([])
  })

  it('has no other codes', () => {
    expect(rows.filter((code) => !all.includes(code) && !KINDS.has(code) && code !== 'usage')).toEqual([])
  })
})

const table = readFileSync(join(ROOT, 'src', 'kit', 'retryable.ts'), 'utf8')
const retryable = [...table.matchAll(/'([a-z_]+)'/g)].map(([, code = '']) => code)

describe('what to repeat', () => {
  it('is said of codes that exist, and nothing else says yes', () => {
    expect(retryable.filter((code) => !all.includes(code))).toEqual([])
    const yes = page.split('\n').filter((line) => /^\| `/.test(line) && line.includes('| yes |'))
    expect(yes.map((line) => /`([^`]+)`/.exec(line)?.[1]).sort()).toEqual([...retryable].sort())
  })

  it('never depends on the person, who canceled it or has to change something', () => {
    const final = [
      'agent_cancelled',
      'canceled',
      'agent_auth_failed',
      'git_missing',
      'session_store_newer',
      'invalid_request',
    ]
    expect(retryable.filter((code) => final.includes(code))).toEqual([])
  })
})

describe('a code in a test of the whole program', () => {
  it('is in docs/errors.md', () => {
    const seen = globSync('test/{http,cli,library,acp,drive}/**/*.test.ts', { cwd: ROOT }).flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/\berror_code: '([a-z_]+)'/g),
    ])
    expect(seen.length).toBeGreaterThan(20)
    expect(seen.map(([, code = '']) => code).filter((code) => !all.includes(code))).toEqual([])
  })
})
