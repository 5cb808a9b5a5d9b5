/** Makes `dist/`: what the published package runs, because Node strips no types under node_modules. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const outdir = join(root, 'dist')

rmSync(outdir, { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: ['src/bin.ts', 'src/demo/agent.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  packages: 'external',
  chunkNames: 'part-[hash]',
  logLevel: 'warning',
})
