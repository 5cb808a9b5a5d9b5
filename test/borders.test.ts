import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { ABOVE_BOTH_HALVES, FACES, HALVES, MAY_IMPORT, SHARED, STARTS } from '../scripts/import-table.ts'

const SRC = join(import.meta.dirname, '..', 'src')

/** Folders without I/O: no clock, no disk, no process. */
const PURE = ['engine']

type Import = { from: string; to: string; isTypeOnly: boolean; isDynamic: boolean }

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
  .map((file) => file.replaceAll('\\', '/'))

const imports = files.flatMap(importsOf)
const internal = imports.filter((each) => each.to.startsWith('.')).map((each) => ({ ...each, to: resolve(each) }))

describe('the import table', () => {
  it('finds imports of every kind', () => {
    const source = `import a from './a.ts'; import type { B } from './b.ts'; export { c } from './c.ts'
      export * from './d.ts'; const e = import('./e.ts'); import { type F } from './f.ts'; import './g.ts'`
    expect(readImports('x.ts', source).map(({ to, isTypeOnly }) => [to, isTypeOnly])).toEqual([
      ['./a.ts', false],
      ['./b.ts', true],
      ['./c.ts', false],
      ['./d.ts', false],
      ['./e.ts', false],
      ['./f.ts', true],
      ['./g.ts', false],
    ])
  })

  it('has a row for every folder', () => {
    expect([...new Set(files.map(topFolderOf))].filter((folder) => MAY_IMPORT[folder] === undefined)).toEqual([])
  })

  it('lists every import between folders', () => {
    const stray = internal.filter(({ from, to }) => {
      const [home, target] = [topFolderOf(from), topFolderOf(to)]
      return home !== target && MAY_IMPORT[home]?.includes(target) !== true
    })
    expect(stray.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  it('keeps Node out of the pure folders', () => {
    const impure = imports.filter(({ from, to }) => PURE.includes(topFolderOf(from)) && to.startsWith('node:'))
    expect(impure).toEqual([])
  })
})

describe('the two halves', () => {
  it('cover every folder, together with what they share and what is above them', () => {
    const known = [...HALVES.prompts, ...HALVES.changes, ...SHARED, ...ABOVE_BOTH_HALVES]
    expect(Object.keys(MAY_IMPORT).sort()).toEqual(known.sort())
  })

  it.each([
    ['prompts', HALVES.prompts],
    ['changes', HALVES.changes],
  ])('%s: imports only its own half, kit, config and sandbox', (_name, half) => {
    const allowed: readonly string[] = [...half, ...SHARED]
    const stray = internal.filter(({ from, to }) => {
      return allowed.includes(topFolderOf(from)) && !allowed.includes(topFolderOf(to))
    })
    expect(stray.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })
})

describe('the faces', () => {
  it('import each other only to start a server', () => {
    const between = internal.filter(({ from, to }) => {
      const [home, target] = [topFolderOf(from), topFolderOf(to)]
      return home !== target && FACES.includes(home) && FACES.includes(target)
    })
    expect(between.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(STARTS)
  })

  it('read turns through the service, in commands', () => {
    const direct = internal.filter(({ from, to }) => from.startsWith('cli/') && to === 'executions/session-turns.ts')
    expect(direct).toEqual([])
  })
})

describe('folders', () => {
  it('do not import each other, at any depth', () => {
    const folderImports = new Set(internal.map(({ from, to }) => `${dirname(from)} -> ${dirname(to)}`))
    const mutual = [...folderImports].filter((each) => {
      const [from = '', to = ''] = each.split(' -> ')
      return from < to && folderImports.has(`${to} -> ${from}`)
    })
    expect(mutual.map((each) => each.replace('->', '<->'))).toEqual([])
  })
})

describe('shapes', () => {
  const isShape = (file: string) => file.endsWith('.shape.ts') || file === 'kit/shape.ts'

  it('are imported by the program for their types only', () => {
    const loaded = internal.filter(({ from, to, isTypeOnly }) => isShape(to) && !isShape(from) && !isTypeOnly)
    expect(loaded).toEqual([])
  })

  it('are the only files that import TypeBox', () => {
    expect(imports.filter(({ from, to }) => to.startsWith('typebox') && !isShape(from))).toEqual([])
  })
})

describe('the start of every command', () => {
  it('loads the definitions of all commands, not what they run', () => {
    const isStatic = (each: Import) => !each.isTypeOnly && !each.isDynamic
    const loaded = new Set(['bin.ts'])
    for (const file of loaded)
      for (const each of internal) if (each.from === file && isStatic(each)) loaded.add(each.to)
    expect(loaded).toContain('cli/drive/commands.ts')

    expect([...loaded].filter((file) => file.endsWith('.generated.js'))).toEqual([])
    const slow = ['node:child_process', 'node:crypto', 'node:http', 'node:sqlite']
    expect(imports.filter((each) => loaded.has(each.from) && isStatic(each) && slow.includes(each.to))).toEqual([])
  })
})

describe('the console', () => {
  it('imports other folders for their types only, because it runs in browsers', () => {
    const loaded = internal.filter(
      ({ from, to, isTypeOnly }) => topFolderOf(from) === 'console' && topFolderOf(to) !== 'console' && !isTypeOnly,
    )
    expect(loaded).toEqual([])
  })
})

describe('dependencies', () => {
  it('are declared for the published package, not only for development', () => {
    const { dependencies } = JSON.parse(readFileSync(join(SRC, '..', 'package.json'), 'utf8'))
    // The build of the console contains what it imports.
    const program = imports.filter(({ from }) => topFolderOf(from) !== 'console')
    const bare = program.filter(({ to, isTypeOnly }) => !isTypeOnly && !to.startsWith('.') && !to.startsWith('node:'))
    const undeclared = bare.filter(
      ({ from, to }) => !from.endsWith('.shape.ts') && from !== 'kit/shape.ts' && !(packageOf(to) in dependencies),
    )
    expect(undeclared).toEqual([])
  })
})

describe('names', () => {
  /** One in each folder, one for each agent, or generated. */
  const REPEATED = /(?:^|\/)(?:commands|faults)\.ts$|^agents\/(?:acp|claude|codex|gemini)\/|\.generated\./

  it('of files exist once, but for a shape beside its file', () => {
    const named = files.filter((file) => !REPEATED.test(file)).map((file) => file.replace(/(?:\.shape)?\.tsx?$/, ''))
    expect(named).toContain('cli/run/run-command')
    expect(findRepeated([...new Set(named)], basename)).toEqual([])
  })

  it('of exported types exist once', () => {
    const types = files
      .filter((file) => !file.includes('.generated.'))
      .flatMap((file) => exportedTypes(file, readFileSync(join(SRC, file), 'utf8')))
    expect(types).toContain('engine/state/run.ts: Run')
    expect(findRepeated(types, (each) => each.split(': ')[1] ?? '')).toEqual([])
  })

  it('of types are found in every form', () => {
    const source = `export type A = 1; export interface B {}; export class C {}; export type { D } from './d.ts'
      type E = 1; export const F = 1; export function g() {}; export abstract class H {}; export type J<K> = K`
    expect(exportedTypes('x.ts', source)).toEqual(['x.ts: A', 'x.ts: B', 'x.ts: C', 'x.ts: H', 'x.ts: J'])
  })
})

describe('files', () => {
  it('do not import each other in a circle, counting type imports', () => {
    // Drops every file that imports nothing or that nothing imports, until only circles are left.
    let left = internal
    for (let before = left.length + 1; left.length < before; ) {
      before = left.length
      const [importing, imported] = [new Set(left.map(({ from }) => from)), new Set(left.map(({ to }) => to))]
      left = left.filter(({ from, to }) => importing.has(to) && imported.has(from))
    }
    expect(left.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  it('are never named index.ts', () => {
    expect(files.filter((file) => file.endsWith('index.ts'))).toEqual([])
  })
})

/** The types that a file declares and exports, each after the name of the file. */
function exportedTypes(file: string, source: string): string[] {
  return parseSync(file, source).program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null
    if (declared === null || declared === undefined) return []
    const isType = ['TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'ClassDeclaration'].includes(declared.type)
    return isType && 'id' in declared && declared.id?.type === 'Identifier' ? [`${file}: ${declared.id.name}`] : []
  })
}

/** What has the name of another one. */
function findRepeated(items: readonly string[], toName: (item: string) => string): string[] {
  const byName = Map.groupBy(items, (item) => toName(item))
  return [...byName.values()].filter(({ length }) => length > 1).map((same) => same.sort().join(', '))
}

/** Without the path inside of the package. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function importsOf(file: string): Import[] {
  return readImports(file, readFileSync(join(SRC, file), 'utf8'))
}

function readImports(file: string, source: string): Import[] {
  const { module } = parseSync(file, source)
  const found = [
    ...module.staticImports.map((each) => ({
      at: each.start,
      to: each.moduleRequest.value,
      isTypeOnly: each.entries.length > 0 && each.entries.every((entry) => entry.isType),
      isDynamic: false,
    })),
    ...module.staticExports.flatMap((each) =>
      each.entries
        .slice(0, 1)
        .filter((entry) => entry.moduleRequest !== null)
        .map((entry) => ({
          at: each.start,
          to: entry.moduleRequest?.value ?? '',
          isTypeOnly: each.entries.every((other) => other.isType),
          isDynamic: false,
        })),
    ),
    ...module.dynamicImports.map((each) => ({
      at: each.start,
      to: source.slice(each.moduleRequest.start + 1, each.moduleRequest.end - 1),
      isTypeOnly: false,
      isDynamic: true,
    })),
  ]
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...each }) => ({ from: file, ...each }))
}

function resolve(each: Import): string {
  return normalize(join(dirname(each.from), each.to)).replaceAll('\\', '/')
}

function topFolderOf(file: string): string {
  return file.split('/')[0] ?? ''
}
