/** Bundles drover, as the published package has it, and programs of the tests once for all: a bundle starts faster than sources. */
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundle } from '../../scripts/bundle.ts'
import { BUNDLED } from './bundled-program.ts'

const ROOT = join(import.meta.dirname, '..', '..')

export default bundleAll

/** This process and those that it starts use the bundles, until the returned function removes them. */
export async function bundleAll(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-bundle-'))
  // For tests that run drover as another user.
  chmodSync(directory, 0o755)
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(directory, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  await bundle(ROOT, join(directory, 'dist'))
  await bundlePrograms(join(directory, 'test'))
  process.env['TEST_BUNDLES'] = directory
  return () => rmSync(directory, { recursive: true, force: true })
}

async function bundlePrograms(outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: BUNDLED.map((name) => join('test', `${name}.ts`)),
    outbase: 'test',
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
  })
}
