import { build } from 'esbuild'

/** Bundles the program and the demo agent: Node strips no types under node_modules, so a package cannot ship them. */
export async function bundle(root: string, outdir: string): Promise<void> {
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
}
