import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { nameOf } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/program/command-table.ts'

/** Bundles the program and the demo agent: Node strips no types under node_modules, so a package cannot ship them. */
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
  await build({ ...common, entryPoints: ['src/demo/agent.ts'], outdir: join(outdir, 'demo'), format: 'esm' })
}

/** One script, for bin/run-bundle.cjs to run, and beside it what that has to know before it can. */
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
    // A script that is run by hand may not import; what it loads late it can require as well.
    supported: { 'dynamic-import': false },
    // Without its comments it is ASCII, which is read fastest. Names and lines stay, for stack traces.
    minifyWhitespace: true,
    lineLimit: 120,
  })
  const facts = { build: hash('sha256', readFileSync(outfile)).slice(0, 16), commands: COMMANDS.map(nameOf) }
  writeFileSync(join(outdir, 'facts.json'), JSON.stringify(facts))
}
