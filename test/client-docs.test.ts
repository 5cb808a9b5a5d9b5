import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runAt, temporaryDirectory } from './support/run-drover.ts'
import { portOf, serveDrover } from './support/serve-drover.ts'

const ROOT = join(import.meta.dirname, '..')
const CLIENTS = join(ROOT, 'docs', 'clients')
const KEY = 'a-key-of-the-server'

const pages = readdirSync(CLIENTS).map((name) => ({ name, text: readFileSync(join(CLIENTS, name), 'utf8') }))

type Example = { number: number; language: string; code: string; prints: string }

/** A block that is marked with `run`, and the block of text after it. */
const RUNNABLE = /^```(js|sh) run\n(.*?)^```\n\n```text\n(.*?)^```$/gms

const examplesIn = (text: string): Example[] =>
  [...text.matchAll(RUNNABLE)].map(([, language = '', code = '', prints = ''], at) => ({
    number: at + 1,
    language,
    code,
    prints,
  }))

const runnable = pages
  .map(({ name, text }) => ({ name, examples: examplesIn(text) }))
  .filter(({ examples }) => examples.length > 0)

const COMMANDS: Readonly<Record<string, (code: string) => readonly string[]>> = {
  js: (code) => [process.execPath, '--input-type=module', '--eval', code],
  sh: (code) => ['/bin/sh', '-c', code],
}

/** `…` stands for anything on its line. Not everything that is printed ends its last line. */
function patternOf(prints: string): RegExp {
  const parts = prints
    .trimEnd()
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^\\n]*')}\\n*$`)
}

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe('the examples in docs/clients', () => {
  it.for(runnable)('$name print what they say', async ({ examples }, { skip }) => {
    skip(!hasCurl && examples.some(({ language }) => language === 'sh'), 'there is no curl here')
    const server = serveDrover(['--demo', '--port', '0', '--quiet'], { DROVER_API_KEYS: KEY })
    const env = { HOME: temporaryDirectory(), DROVER_URL: `http://127.0.0.1:${await portOf(server)}`, DROVER_KEY: KEY }
    for (const { number, language, code, prints } of examples) {
      const ran = await runAt(ROOT, COMMANDS[language]?.(code) ?? [], env)
      expect({ number, ...ran }).toEqual({
        number,
        code: 0,
        stderr: '',
        stdout: expect.stringMatching(patternOf(prints)),
      })
    }
  })

  it('that are marked have what they print below them', () => {
    const marked = pages.flatMap(({ text }) => text.match(/^```\S+ run$/gm) ?? [])
    expect(marked.length).toBeGreaterThan(10)
    expect(runnable.flatMap(({ examples }) => examples)).toHaveLength(marked.length)
  })
})

/** As the places of a page are called on the web. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

describe('docs/clients', () => {
  it.each(pages)('$name leads only to places that are there', ({ name, text }) => {
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    for (const target of links.filter((link) => !link.startsWith('http'))) {
      const [path = '', anchor] = target.split('#')
      const file = join(dirname(join(CLIENTS, name)), path)
      expect(existsSync(file), target).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), target).toContain(anchor)
    }
  })

  it('README.md lists every page', () => {
    const index = pages.find(({ name }) => name === 'README.md')?.text ?? ''
    const others = pages.map(({ name }) => name).filter((name) => name !== 'README.md')
    expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([])
  })
})
