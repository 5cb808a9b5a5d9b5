/**
 * Bundles the program into scripts for bin/run-bundle.cjs: what every command starts with, what prompts need, and the rest. A
 * script is loaded when one of its modules is imported. To load one script with everything would take a third of the time
 * of a small command.
 */
import { isAscii } from 'node:buffer'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { commandName } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/program/command-table.ts'
import { bundledPackages, bundlePackages } from './bundle-packages.ts'

const MAIN = 'src/bin.ts'
/** What most commands begin with, and what an unknown one ends with. */
const START = [MAIN, 'src/cli/failures/describe-failure.ts']
/** Commands that are used together: the files that define them, and what else they need on most machines. */
const GROUPS = {
  prompts: ['src/cli/prompt/commands.ts', 'src/config/layers.ts', 'src/config/read-config.ts'],
  changes: ['src/cli/run/commands.ts'],
}
/** A module that is imported on demand is in the script of its importer if it adds less than this. */
const LITTLE_BYTES = 15_000

/** Writes the scripts, and beside them the facts that bin/run-bundle.cjs needs before it runs one. Returns the paths of the sources. */
export async function bundleProgram(common: BuildOptions, outdir: string): Promise<string[]> {
  const root = common.absWorkingDir ?? ''
  await bundlePackages(common, join(outdir, 'packages'))
  const { metafile } = await build({ ...common, ...OPTIONS, entryPoints: [MAIN], outdir, write: false, metafile: true })
  const scripts = divide(metafile)
  const scriptOf = (path: string) => scripts.get(path) ?? ''
  const files = [...new Set(scripts.values())]
  const shared = Object.entries(metafile.inputs).flatMap(([path, { imports }]) => {
    return imports.filter((each) => each.external !== true && scriptOf(each.path) !== scriptOf(path))
  })
  const exportsOf = await readExports(common, [...new Set(shared.map(({ path }) => path))])
  for (const file of files) {
    const stdin = { contents: registration(metafile, file, scriptOf), resolveDir: root, sourcefile: 'modules.js' }
    const plugins = [otherScripts({ root, file, scriptOf, exportsOf }), builtinsOnDemand(), bundledPackages()]
    await build({ ...common, ...OPTIONS, stdin, outfile: join(outdir, file), plugins })
  }
  const contents = files.map((file) => readFileSync(join(outdir, file)))
  // bin/run-bundle.cjs reads them as Latin-1, which is fastest. esbuild escapes all but regular expressions.
  if (!contents.every(isAscii)) throw new Error('bundles have to be ASCII: write \\u escapes in regular expressions')
  const digest = hash('sha256', Buffer.concat(contents)).slice(0, 16)
  writeFileSync(join(outdir, 'facts.json'), JSON.stringify({ build: digest, commands: COMMANDS.map(commandName) }))
  return Object.keys(metafile.inputs)
}

const OPTIONS: BuildOptions = {
  format: 'cjs',
  banner: { js: '(function (require, bundleUrl, modules, load) {' },
  footer: { js: '})' },
  define: { 'import.meta.url': 'bundleUrl' },
  // A script run through node:vm cannot import, so dynamic imports become require.
  supported: { 'dynamic-import': false },
  // Names and lines stay, for stack traces.
  minifyWhitespace: true,
  lineLimit: 120,
}

type ScriptOf = (path: string) => string

/** Lets other scripts get the modules that they import, and starts the program. */
function registration({ inputs }: Metafile, file: string, scriptOf: ScriptOf): string {
  const imported = Object.entries(inputs).flatMap(([path, { imports }]) => {
    return imports.filter((each) => each.external !== true && scriptOf(path) !== file && scriptOf(each.path) === file)
  })
  const paths = [...new Set(imported.map(({ path }) => path))]
  const lines = paths.map((path) => `modules['${path}'] = () => require('./${path}')`)
  return [...lines, ...(scriptOf(MAIN) === file ? [`require('./${MAIN}')`] : [])].join('\n')
}

type ExportsOf = (path: string) => readonly string[]

async function readExports(common: BuildOptions, entryPoints: string[]): Promise<ExportsOf> {
  const { packages: _, ...rest } = common
  const options: BuildOptions = { ...rest, bundle: false, format: 'esm', outdir: 'unused' }
  const { metafile } = await build({ ...options, entryPoints, write: false, metafile: true })
  const exported = Object.values(metafile?.outputs ?? {}).map((output) => [output.entryPoint, output.exports] as const)
  const names = new Map(exported)
  return (path) => names.get(path) ?? []
}

type Division = { root: string; file: string; scriptOf: ScriptOf; exportsOf: ExportsOf }

/**
 * A module of another script is what that script has registered. Its names become constants here: each use of a whole
 * module would call two getters, which cost a request 7 % of its time.
 */
function otherScripts({ root, file, scriptOf, exportsOf }: Division): Plugin {
  const name = 'other-scripts'
  return {
    name,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const found = join(resolveDir, path)
        const module = relative(root, found).replaceAll('\\', '/')
        return scriptOf(module) === file ? { path: found } : { path: module, namespace: name }
      })
      onLoad({ filter: /./, namespace: name }, ({ path }) => {
        return { contents: `export const { ${exportsOf(path).join(', ')} } = load('${path}', '${scriptOf(path)}')` }
      })
    },
  }
}

/** Parts of Node that take 1 to 4 ms to load, and that many commands import without using them. */
const SLOW_BUILTINS = ['node:crypto', 'node:fs/promises', 'node:http', 'node:net', 'node:readline', 'node:zlib']

/** They are loaded when one of their functions is called. */
function builtinsOnDemand(): Plugin {
  const name = 'builtins-on-demand'
  return {
    name,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path, kind, namespace }) => {
        const isEager = namespace === name || kind !== 'import-statement' || !SLOW_BUILTINS.includes(path)
        return isEager ? undefined : { path, namespace: name }
      })
      onLoad({ filter: /./, namespace: name }, ({ path }) => {
        const names = Object.keys(createRequire(import.meta.url)(path))
        const getters = names.map((each) => `get ${each}() { return load().${each} }`)
        const load = `let module_; const load = () => (module_ ??= require('${path}'))`
        return { contents: `${load}; module.exports = { ${getters.join(', ')} }` }
      })
    },
  }
}

/** Which script has a module: one for each set of groups that need it. */
function divide({ inputs, outputs }: Metafile): Map<string, string> {
  const [output] = Object.values(outputs)
  const bytesOf = (path: string) => output?.inputs[path]?.bytesInOutput ?? 0
  const importsOf = (path: string, isOnDemand: boolean) =>
    (inputs[path]?.imports ?? [])
      .filter(({ kind, external }) => external !== true && (kind === 'dynamic-import') === isOnDemand)
      .map((each) => each.path)
  /** Everything that the modules import at once, and what adds little. */
  const gather = (paths: readonly string[], known: ReadonlySet<string>): Set<string> => {
    const gathered = new Set<string>()
    const withImports = (path: string, found: Set<string>): Set<string> => {
      if (known.has(path) || gathered.has(path) || found.has(path)) return found
      found.add(path)
      for (const each of importsOf(path, false)) withImports(each, found)
      return found
    }
    for (const path of paths) for (const each of withImports(path, new Set())) gathered.add(each)
    for (const onDemand of [...known, ...gathered].flatMap((path) => importsOf(path, true))) {
      const added = [...withImports(onDemand, new Set())]
      if (added.reduce((sum, each) => sum + bytesOf(each), 0) < LITTLE_BYTES)
        for (const each of added) gathered.add(each)
    }
    return gathered
  }
  const start = gather(START, new Set())
  const groups = Object.entries(GROUPS).map(([name, paths]) => {
    return {
      name,
      modules: gather(
        paths.flatMap((path) => importsOf(path, true)),
        start,
      ),
    }
  })
  return new Map(
    Object.keys(inputs).map((path) => {
      const names = groups.filter(({ modules }) => modules.has(path)).map(({ name }) => name)
      return [path, start.has(path) ? 'drover.cjs' : `${names.join('-and-') || 'others'}.cjs`]
    }),
  )
}
