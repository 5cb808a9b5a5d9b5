import { isAscii } from 'node:buffer'
import { hash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { commandName } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/program/command-table.ts'
import { buildConsole } from './build-console.ts'

/** The files in src/library that programs import. */
export const LIBRARY_ENTRIES: readonly string[] = ['drover', 'ai-sdk']

/** Bundles the program, its thread, the demo agent and the console: Node does not strip types under node_modules, so a package cannot ship TypeScript. */
export async function bundle(root: string, outdir: string): Promise<void> {
  const common: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node24',
    packages: 'external',
    logLevel: 'warning',
  }
  await bundleProgram(common, outdir)
  await build({ ...common, entryPoints: ['src/demo/demo-agent.ts'], outdir: join(outdir, 'demo'), format: 'esm' })
  await build({ ...common, entryPoints: ['src/http/request/json-thread.ts'], outdir, format: 'esm' })
  await bundleLibrary(common, join(outdir, 'library'))
  copySwagger(join(outdir, 'docs'))
  await buildConsole(root, join(outdir, 'console'))
}

/** What programs import. The parts that a program may not need, such as the server, are files of their own. */
async function bundleLibrary(common: BuildOptions, outdir: string): Promise<void> {
  await build({
    ...common,
    entryPoints: LIBRARY_ENTRIES.map((name) => `src/library/${name}.ts`),
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
  })
}

/** The files of the /docs page, and their licenses. As a dependency, Swagger UI would install a program that reports to its authors. */
const SWAGGER_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
]

function copySwagger(target: string): void {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  mkdirSync(target, { recursive: true })
  for (const file of SWAGGER_FILES) copyFileSync(join(source, file), join(target, file))
}

/** Writes one script for bin/run-bundle.cjs, and beside it the facts that bin/run-bundle.cjs needs before it runs the script. */
async function bundleProgram(common: BuildOptions, outdir: string): Promise<void> {
  const outfile = join(outdir, 'drover.cjs')
  await build({
    ...common,
    entryPoints: ['src/bin.ts'],
    outfile,
    format: 'cjs',
    banner: { js: '(function (require, bundleUrl) {' },
    footer: { js: '})' },
    define: { 'import.meta.url': 'bundleUrl' },
    // A script run through node:vm cannot import, so dynamic imports become require.
    supported: { 'dynamic-import': false },
    // Names and lines stay, for stack traces.
    minifyWhitespace: true,
    lineLimit: 120,
  })
  // bin/run-bundle.cjs reads it as Latin-1, which is fastest. esbuild escapes all but regular expressions.
  if (!isAscii(readFileSync(outfile)))
    throw new Error(`${outfile} has to be ASCII: write \\u escapes in regular expressions`)
  const facts = { build: hash('sha256', readFileSync(outfile)).slice(0, 16), commands: COMMANDS.map(commandName) }
  writeFileSync(join(outdir, 'facts.json'), JSON.stringify(facts))
}
