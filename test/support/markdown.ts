/** Reads the pages of the documentation: their anchors, links and examples. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './npm.ts'

export type Page = { path: string; text: string }

/** A fenced block: its language, the rest of its first line, its text, and the text block right after it. */
export type Block = { language: string; mark: string; code: string; line: number; below: string | undefined }

/** Every page of the documentation. */
export function readPages(): Page[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs.sort()].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }))
}

const FENCED = /^(`{3,})([^\n`]*)\n(.*?)^\1$/gms

export function blocksIn(text: string): Block[] {
  return [...text.matchAll(FENCED)].map((match) => {
    const [whole, , info = '', code = ''] = match
    const [language = '', ...mark] = info.split(' ')
    const after = text.slice(match.index + whole.length)
    const below = /^\n\n```text\n(.*?)^```$/ms.exec(after)
    const isRightBelow = below?.index === 0
    const line = text.slice(0, match.index).split('\n').length
    return { language, mark: mark.join(' '), code, line, below: isRightBelow ? below?.[1] : undefined }
  })
}

/** The targets of the links and pictures of a page, except those in code. */
export function linksIn(text: string): string[] {
  const prose = text.replace(FENCED, '').replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '')
  const written = [...prose.matchAll(/\]\(([^()\s]+)\)/g), ...prose.matchAll(/(?:src|href)="([^"]+)"/g)]
  return written.map(([, target = '']) => target)
}

/** The anchors of a page: those that GitHub derives from titles (numbered if repeated), and explicit ones. */
export function anchorsIn(text: string): string[] {
  const prose = text.replace(FENCED, '')
  const seen = new Map<string, number>()
  const titles = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => {
    const name = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return times === 0 ? name : `${name}-${times}`
  })
  return [...titles, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, name = '']) => name)]
}

/** The project files named in code spans, such as `src/bin.ts`, or `kit/fault.ts` for files under `src/`. */
export function filesNamedIn(text: string): string[] {
  const named = text.replace(FENCED, '').matchAll(/`(([a-z-]+)\/[\w./-]+\.(?:ts|mjs|cjs|js|json|md|service))`/g)
  const isOurs = (folder: string) => [ROOT, join(ROOT, 'src')].some((root) => existsSync(join(root, folder)))
  return [...named].filter(([, , folder = '']) => isOurs(folder)).map(([, path = '']) => path)
}

/** A pattern for the output of an example: `…` matches anything on its line, and a line `[…]` any lines. */
export function patternOf(prints: string): RegExp {
  const parts = prints.split(/(^\[…\]$|…)/m).map((part) => {
    if (part === '[…]') return '[^]*'
    return part === '…' ? '[^\\n]*' : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}
