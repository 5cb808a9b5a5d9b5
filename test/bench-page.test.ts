import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BENCHES } from '../bench/benches.ts'
import { readSections } from '../scripts/bench-page.ts'
import { report } from '../scripts/bench-report.ts'
import { ROOT } from './support/npm.ts'

const page = readFileSync(join(ROOT, 'docs', 'benchmarks.md'), 'utf8')

/** The parts of the page that do not depend on measurements. */
const framesOf = (text: string) =>
  [...text.matchAll(/^## .*\n\n(?:[^`\n].*\n)*\n`npm run .*?`/gm)].map(([frame]) => frame)

describe('docs/benchmarks.md', () => {
  it('lists every bench with its comparison and its command', async () => {
    expect(framesOf(page)).toEqual(framesOf(await report()))
    expect(framesOf(page)).toHaveLength(Object.keys(BENCHES).length + 1)
  })
})

describe('the report', () => {
  const measured = report(async (args) => ({
    printed: `Node 24.0.0, made up\n\nA table of ${args.join(' ')}\n  1.00x\nok   a.test.ts: 5 cases a test (1 s)\n`,
    seconds: 1.6,
  }))

  it('contains the output of each bench, with its command and duration', async () => {
    expect(await measured).toContain(
      '`npm run bench start-up`, which took 2 s:\n\n```text\nA table of bench/run.ts start-up\n  1.00x\n',
    )
  })

  it('contains only the results of the fuzz tests', async () => {
    expect(await measured).toMatch(
      /`npm run fuzz \d+`, which took 2 s:\n\n```text\nok {3}a\.test\.ts: 5 cases a test \(1 s\)\n```\n$/,
    )
  })

  it('describes the machine without naming it', async () => {
    const facts = /## The machine\n\n(.*?)\n\n##/s.exec(await measured)?.[1] ?? ''
    expect(facts.match(/^\| (\w+) \| .+ \|$/gm)?.map((row) => row.split(' ')[1])).toEqual([
      'system',
      'processors',
      'memory',
      'Node',
      'git',
    ])
    expect(facts).not.toMatch(/\/|made up/)
  })

  it('keeps the sections that are not measured again', async () => {
    const kept = new Map([...readSections(await measured)].filter(([name]) => name !== 'warm'))
    const asked: string[] = []
    const again = await report(async (args) => {
      asked.push(args.join(' '))
      return { printed: 'Node 24.0.0, made up\n\nanother table\n', seconds: 3 }
    }, kept)
    expect(asked).toEqual(['bench/run.ts warm'])
    expect(again.split('another table')).toHaveLength(2)
    expect([...readSections(again).keys()]).toEqual([...readSections(await measured).keys()])
    expect(readSections(again).get('http')).toBe(kept.get('http'))
  })

  it('is not written when a bench fails', async () => {
    await expect(report(() => Promise.reject(new Error('it broke')))).rejects.toThrow('it broke')
  })
})
