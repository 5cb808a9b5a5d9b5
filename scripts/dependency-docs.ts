/** Writes docs/dependencies.md from the lock file: what is installed with drover, and its licenses. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable } from './markdown-table.ts'

type Locked = {
  version?: string
  license?: string
  dev?: true
  devOptional?: true
  link?: true
  hasInstallScript?: true
}

/** Licenses that allow to use and distribute drover, also in a product. */
const ACCEPTED = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'PSF-2.0']

/** Parts of packages that the published package contains as files. Their licenses are beside them. */
const CONTAINED = ['preact', '@preact/signals', '@preact/signals-core', 'swagger-ui-dist']

export function dependencyDocs(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const all = Object.entries(lock.packages)
    .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
    .map(([path, locked]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...locked }))
  const installed = all.filter(({ dev, devOptional }) => dev !== true && devOptional !== true)
  const contained = all.filter(({ name }) => CONTAINED.includes(name))
  refuse([...installed, ...contained])
  const row = ({ name, version = '', license = '' }: (typeof all)[number]) => [name, version, license]
  const unique = new Map(installed.map((each) => [`${each.name}@${each.version}`, each]))
  const sorted = [...unique.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  const [direct, indirect] = [true, false].map((wanted) => sorted.filter(({ name }) => name in dependencies === wanted))
  return `# Dependencies

What is installed with drover. Versions are exact, except that of \`@types/node\`, of which your program must have one only. No package runs a script when it is installed, and each license allows use and
distribution. \`npm run generate\` writes this page from the lock file and fails otherwise.

${markdownTable(['Dependency', 'Version', 'License'], direct?.map(row) ?? [])}

\`yaml\` and \`fastify\`, with what they need, are also bundled into \`dist/packages\`, which starts faster. The package contains files of these
too. Each license is beside them (\`dist/packages/LICENSES.txt\`, \`dist/console/LICENSES.txt\`, \`dist/docs/LICENSE\`):

${markdownTable(['Contained', 'Version', 'License'], contained.map(row))}

## What they need

${markdownTable(['Package', 'Version', 'License'], indirect?.map(row) ?? [])}
`
}

function refuse(packages: readonly ({ name: string } & Locked)[]): void {
  const others = packages.filter(({ license = 'none' }) => !ACCEPTED.includes(license))
  if (others.length > 0)
    throw new Error(`licenses: ${others.map(({ name, license }) => `${name} has ${license}`).join(', ')}`)
  const scripts = packages.filter(({ hasInstallScript, dev }) => hasInstallScript === true && dev !== true)
  if (scripts.length > 0) throw new Error(`install scripts: ${scripts.map(({ name }) => name).join(', ')}`)
}
