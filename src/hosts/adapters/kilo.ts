import { body, bodyPath, callable, frontMatter, quoted } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.kilocode'

export const kilo: Host = {
  id: 'kilo',
  name: 'Kilo Code',
  directories: ['.kilo', ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => {
    const head = frontMatter([
      ['description', quoted(capability.description)],
      ['subtask', 'false'],
    ])
    const path = `.kilo/commands/${capability.name}.md`
    return [...body(capability, ROOT), callable(capability, path, `${head}@${bodyPath(capability, ROOT)}\n`)]
  },
}
