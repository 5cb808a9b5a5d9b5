/** Bundles drover, as the published package has it, and the fake agents once for all tests: a bundle starts faster than sources. */
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { bundle } from '../../scripts/bundle.ts'

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended
  interface ProvidedContext {
    drover: string
  }
}

const ROOT = join(import.meta.dirname, '..', '..')

export default async function bundleDrover(project: TestProject): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), 'drover-bundle-'))
  // For tests that run drover as another user.
  chmodSync(directory, 0o755)
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(directory, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  await bundle(ROOT, join(directory, 'dist'))
  project.provide('drover', join(directory, 'bin', 'drover.cjs'))
  await bundleFakeAgents(join(directory, 'fake-agent'))
  return () => rmSync(directory, { recursive: true, force: true })
}

/** The workers inherit the variable. */
async function bundleFakeAgents(outdir: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['agent', 'acp-agent'].map((name) => join('test', 'fake-agent', `${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    logLevel: 'warning',
  })
  process.env['FAKE_AGENT_BUNDLES'] = outdir
}
