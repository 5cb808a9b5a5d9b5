/** Writes the types of the library beside its code. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { LIBRARY_ENTRIES } from './bundle.ts'

/** What the entries export types of. They import nothing else for their types. */
const PUBLIC = [...LIBRARY_ENTRIES, 'types', 'messages.generated', 'error-codes.generated', 'drover-error']

/** `npm test` checks the types of the sources, so that nothing is checked here: each file is written by itself. */
const ALONE = ['--noCheck', '--noResolve', '--ignoreConfig', '--types', '']

/** TypeScript 7 takes no types of packages by itself, and those of the library need AbortSignal. */
const NODE_TYPES = '/// <reference types="node" />\n'

export function declareLibrary(root: string, outdir: string): void {
  const program = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const files = PUBLIC.map((name) => join('src', 'library', `${name}.ts`))
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outdir]
  const language = ['--rootDir', 'src/library', '--target', 'es2024', '--module', 'nodenext']
  const args = [program, ...ALONE, ...emit, ...language, '--allowImportingTsExtensions', ...files]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the types of the library could not be written: ${stdout}${stderr}`)
  for (const name of readdirSync(outdir).filter((file) => file.endsWith('.d.ts'))) {
    const path = join(outdir, name)
    // The package has no TypeScript, only what it became.
    const text = readFileSync(path, 'utf8').replaceAll(/ from '(\.\/[^']+)\.ts'/g, " from '$1.js'")
    writeFileSync(path, name === 'types.d.ts' ? NODE_TYPES + text : text)
  }
}
