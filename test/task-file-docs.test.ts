import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from './support/agent-home.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'task-files.md'), 'utf8')

/** Code blocks with a kind: `yaml tasks`, `json steps`. */
const examples = [...page.matchAll(/^```(yaml|json) (tasks|steps)\n(.*?)^```/gms)].map(
  ([, format = '', noun = '', text = ''], at) => ({ number: at + 1, format, noun, text }),
)

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
  for (const name of ['api', 'web']) mkdirSync(join(home.path, 'packages', name), { recursive: true })
})

describe('docs/task-files.md', () => {
  it('has examples of both kinds in both formats', () => {
    expect(new Set(examples.map(({ format, noun }) => `${format} ${noun}`)).size).toBe(4)
  })

  it.each(examples)('has an example $number of $noun in $format that runs', async ({ format, noun, text }) => {
    const file = `example.${format}`
    writeFileSync(join(home.path, file), text)
    const args = [noun === 'tasks' ? 'parallel' : 'chain', '-f', file, '--demo', '--json']
    const dry = await home.drover([...args, '--dry-run', '--output-dir', 'dry'], { env: home.bare })
    expect(dry).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Would execute: ') })
    const { code, stdout, stderr } = await home.drover(args, { env: home.bare })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).results.length).toBeGreaterThan(1)
  })
})
