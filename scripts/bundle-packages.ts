/**
 * Bundles the packages that most commands or every server load into one file each. Node takes longer to find and read the 72 files
 * of yaml and the 240 of fastify than to run them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'

const NAMES: readonly string[] = ['fastify', 'yaml']

export async function bundlePackages(common: BuildOptions, outdir: string): Promise<void> {
  const { packages: _, ...rest } = common
  const entryPoints = Object.fromEntries(NAMES.map((name) => [name, name]))
  const options: BuildOptions = { ...rest, entryPoints, outdir, format: 'cjs', outExtension: { '.js': '.cjs' } }
  const { metafile } = await build({ ...options, minifyWhitespace: true, lineLimit: 120, metafile: true })
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses(common.absWorkingDir ?? '', metafile))
}

/** Lets the scripts of the program use these files. bin/run-bundle.cjs resolves what they require. */
export function bundledPackages(): Plugin {
  return {
    name: 'bundled-packages',
    setup({ onResolve }) {
      const filter = new RegExp(`^(${NAMES.join('|')})$`)
      onResolve({ filter }, ({ path }) => ({ path: `../dist/packages/${path}.cjs`, external: true }))
    },
  }
}

/** Their licenses ask for it. */
function licenses(root: string, { inputs }: Metafile): string {
  const folders = Object.keys(inputs).map(
    (path) => /^node_modules\/.*node_modules\/[^/]+|^node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0],
  )
  const texts = [...new Set(folders)].toSorted().map((folder = '') => {
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each)) ?? 'package.json'
    return `${folder.replace(/^node_modules\//, '')}\n\n${readFileSync(join(root, folder, file), 'utf8')}`
  })
  return `These files contain the following packages.\n\n${texts.join('\n\n')}`
}
