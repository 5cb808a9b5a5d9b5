import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsIn, filesNamedIn, linksIn, type Page, readPages } from './support/markdown.ts'
import { ROOT } from './support/npm.ts'

const pages = readPages()

describe('reading a page', () => {
  it('finds links and pictures, but not in code', () => {
    const text = 'a [b](c.md#d) ![e](f.svg) `[g](h)` <img src="i.svg">\n\n```md\n[j](k)\n```\n'
    expect(linksIn(text)).toEqual(['c.md#d', 'f.svg', 'i.svg'])
  })

  it('names anchors as GitHub does', () => {
    const text = '# Walk 1: `drover -b x "y"`\n## The Ä_b\n## The Ä_b\n```sh\n# no heading\n```\n'
    expect(anchorsIn(text)).toEqual(['walk-1-drover--b-x-y', 'the-ä_b', 'the-ä_b-1'])
  })
})

describe('the documentation', () => {
  it('and the messages never get drover from npm by its name, which may be another program there', () => {
    const sources = globSync(['src/**/*.ts', 'bin/*', 'scripts/**/*.{ts,mjs,md}'], { cwd: ROOT })
    const texts = [...pages, ...sources.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))]
    const byName = /npx (-y |--yes )?drover(?!`? is safe only)|npm (install|i) (-g|--global) drover(?![-\w])/
    expect(texts.filter(({ text }) => byName.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('and the messages call the program an agent, its name a backend, and an agent with drover in it a host', () => {
    const sources = globSync(['src/**/*.ts', 'schema/openapi.json'], { cwd: ROOT })
    const texts = [...pages, ...sources.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))]
    // Only a program is installed or fails.
    const mixed =
      /\bbackends? (that )?((is|are|may) )?(not )?(be )?(installed|fails?|hangs?)\b|host's agent|agent's host/i
    const found = texts.flatMap(({ path, text }) => {
      const match = mixed.exec(text)
      return match === null ? [] : [`${path}: ${match[0]}`]
    })
    expect(found).toEqual([])
    const sentences = [
      /agent\W+is a program such as Claude Code/,
      /host\W+(\S+ )?is .*an agent that drover is installed into/,
    ]
    const without = ['README.md', 'docs/agents.md', 'man/drover.1'].filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8').replace(/\s+/g, ' ')
      return !sentences.every((sentence) => sentence.test(text))
    })
    expect(without).toEqual([])
  })

  it.each(pages)('$path links only to existing targets', ({ path, text }) => {
    expect(linksIn(text).filter((target) => !isThere(target, path))).toEqual([])
  })

  it.each(pages)('$path names only existing files', ({ text }) => {
    const roots = [ROOT, join(ROOT, 'src')]
    expect(filesNamedIn(text).filter((path) => !roots.some((root) => existsSync(join(root, path))))).toEqual([])
  })

  it.each(pages.filter(({ path }) => path.startsWith('docs/') && path.endsWith('/README.md')))(
    '$path lists every page of its folder',
    ({ path, text }) => {
      const folder = dirname(path)
      const listed = linksIn(text).map((target) => normalize(join(folder, target)))
      const inside = pages.filter((page) => page.path !== path && isListedIn(folder, page))
      expect(inside.map((page) => page.path).filter((each) => !listed.includes(each))).toEqual([])
    },
  )
})

/** The README of a folder lists its pages, and is listed by the README of the folder above. */
function isListedIn(folder: string, { path }: Page): boolean {
  const home = dirname(path)
  return home === folder || (dirname(home) === folder && path.endsWith('/README.md'))
}

/** External links are not requested: they must be HTTPS addresses, or local ones. */
function isThere(target: string, page: string): boolean {
  if (/^[a-z]+:/.test(target)) return URL.canParse(target) && /^https:|^http:\/\/127\.0\.0\.1/.test(target)
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path)
  if (!existsSync(file)) return false
  return anchor === undefined || anchorsIn(readFileSync(file, 'utf8')).includes(anchor)
}
